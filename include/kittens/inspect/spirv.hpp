// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <stdexcept>
#include <string>
#include <vector>

/// Reading and completing SPIR-V modules. Depends on the standard library alone, so that build
/// tools and the OpenCL back end can use it.
namespace kittens::inspect {

/// A SPIR-V module that cannot be read, or changed as asked. `what()` is one line.
class spirv_error : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// A kernel of a module, with the execution modes that concern a launch.
struct spirv_entry_point {
    std::string name;
    std::uint32_t function = 0;         ///< result id of its OpFunction
    std::uint32_t execution_model = 0;  ///< 6 is Kernel
    std::optional<std::uint32_t> subgroup_size;
    std::optional<std::array<std::uint32_t, 3>> local_size;
};

/// A SPIR-V binary in host byte order, with its preamble decoded.
class spirv_module {
public:
    /// Decodes `bytes` (either byte order). Throws spirv_error when they are no well-formed module:
    /// header, instruction lengths, section order of the preamble, entry points without a function.
    static spirv_module parse(std::span<const std::byte> bytes);
    static spirv_module parse(std::vector<std::uint32_t> words);
    static spirv_module read(const std::filesystem::path& file);

    void write(const std::filesystem::path& file) const;

    std::span<const std::uint32_t> words() const { return words_; }
    std::span<const std::byte> bytes() const { return std::as_bytes(std::span(words_)); }
    unsigned version_major() const { return (words_[1] >> 16) & 0xff; }
    unsigned version_minor() const { return (words_[1] >> 8) & 0xff; }
    const std::vector<std::uint32_t>& capabilities() const { return capabilities_; }
    const std::vector<std::string>& extensions() const { return extensions_; }
    const std::vector<spirv_entry_point>& entry_points() const { return entry_points_; }
    bool has_capability(std::uint32_t capability) const;

private:
    friend bool require_subgroup_size(spirv_module& module, std::uint32_t size);
    friend bool require_local_size(spirv_module& module, std::uint32_t x, std::uint32_t y, std::uint32_t z);

    void decode();
    void insert(std::size_t position, std::span<const std::uint32_t> instruction);
    void check_has_kernel(const char* what) const;

    std::vector<std::uint32_t> words_;
    std::vector<std::uint32_t> capabilities_;
    std::vector<std::string> extensions_;
    std::vector<spirv_entry_point> entry_points_;
    std::size_t capabilities_end_ = 0;  ///< word index after the last OpCapability
    std::size_t modes_end_ = 0;         ///< after the last OpEntryPoint or OpExecutionMode
};

/// Makes every kernel of the module require subgroups of `size` work-items, which clang's plain
/// C++ mode cannot express: adds capability SubgroupDispatch and execution mode SubgroupSize where
/// they are missing. Returns whether the module changed. Throws spirv_error when there is no kernel
/// or one already asks for another size.
bool require_subgroup_size(spirv_module& module, std::uint32_t size);

/// The same for a fixed workgroup size (execution mode LocalSize), in work-items.
bool require_local_size(spirv_module& module, std::uint32_t x, std::uint32_t y, std::uint32_t z);

}  // namespace kittens::inspect
