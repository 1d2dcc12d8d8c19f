// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "kittens/inspect/spirv.hpp"
#include "kittens/inspect/toolchain.hpp"

namespace kittens::inspect {

/// The Intel GPUs for which machine code is made.
enum class gpu { pvc, bmg, cri };

const char* gpu_name(gpu device);
/// "pvc", "bmg" or "cri"; inspect_error with the legal names otherwise.
gpu parse_gpu(const std::string& name);
/// iga64's name of the instruction set.
const char* iga_platform(gpu device);

/// A directory of compiler results, keyed by everything that decides them. Safe for several
/// processes at once: entries are written aside and renamed into place.
class compile_cache {
public:
    /// No caching.
    compile_cache() = default;
    explicit compile_cache(std::filesystem::path directory);
    /// KITTENS_CACHE_DIR, else $XDG_CACHE_HOME/kittens, else ~/.cache/kittens, else no caching.
    static compile_cache standard();

    std::optional<std::vector<std::byte>> get(const std::string& key) const;
    /// Failing to write is no error: the next run compiles again.
    void put(const std::string& key, std::span<const std::byte> data) const;
    const std::filesystem::path& directory() const { return directory_; }

private:
    std::filesystem::path directory_;
};

/// SHA-256 of the parts in order, as 64 hexadecimal digits; part boundaries count.
std::string content_hash(const std::vector<std::string>& parts);

/// The SPIR-V extensions that kernels may use, named one by one: "all" makes modules that
/// spirv-val rejects.
const std::vector<std::string>& spirv_extensions();

/// The options with which every kernel is compiled; the same as the build's.
const std::vector<std::string>& spirv_flags();

/// Kernel source for clang.
struct source_input {
    std::filesystem::path file;                                ///< a file, or
    std::string text;                                          ///< the source itself
    std::vector<std::filesystem::path> include_dirs;           ///< relative to the working directory
    std::vector<std::pair<std::string, std::string>> defines;  ///< name, value ("" for 1)
    std::vector<std::string> flags;                            ///< further clang options, placed last
    std::optional<std::uint32_t> subgroup_size = 16;           ///< required of every kernel
};

/// Compiles to a SPIR-V module with the subgroup size set. Throws inspect_error with clang's first
/// error line, the full text in detail().
spirv_module compile_spirv(const toolchain& tools, const source_input& source, const compile_cache& cache = {});

struct native_options {
    /// Registers per thread: 128, 256, or (cri) 512; 0 leaves the choice to the compiler.
    unsigned grf = 256;
    std::vector<std::string> options;  ///< further build options, e.g. "-ze-opt-level=2"
};

/// Machine code of one device: a zebin ELF image.
struct native_binary {
    gpu device = gpu::pvc;
    std::vector<std::byte> image;
    std::string log;  ///< ocloc's remarks (spills and the like)
};

/// Throws inspect_error with ocloc's first error line.
native_binary compile_native(const toolchain& tools, const spirv_module& module, gpu device,
                             const native_options& options = {}, const compile_cache& cache = {});

}  // namespace kittens::inspect
