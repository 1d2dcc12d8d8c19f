// SPDX-License-Identifier: Apache-2.0
// Which policy a GEMM takes: a table of choices per target, instruction set (xe: GPU), element type and shape, measured or ranked by
// machine code, and what follows from it for other shapes.
#pragma once

#include <kittens/base/types.hpp>

#include <cstdint>
#include <filesystem>
#include <stdexcept>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

/// C (m x n) = A (m x k) * B (k x n).
struct gemm_problem {
    std::string target, isa;  ///< "cpu", "amx"; "xe", "pvc"
    kittens::dtype in = kittens::dtype::bf16;
    int threads = 1;
    std::int64_t m = 1, n = 1, k = 1;
};

/// What a policy that is named after its tile says: "128x256x1024" or "128x256x1024_split". All zero for other names.
struct tile_sizes {
    std::int64_t m = 0, n = 0, k = 0;  ///< rows and columns of a tile of C, K step
    bool split = false;                ///< the sum over K is shared out among threads
};
tile_sizes tile_named(const std::string& policy);

/// Parts of a sum of `steps` K steps where C has `tiles` tiles: as many as give each of `threads` threads work, one step at least each.
constexpr std::int64_t split_parts(std::int64_t tiles, std::int64_t steps, std::int64_t threads) {
    const std::int64_t wanted = (threads + tiles - 1) / tiles;
    return wanted < steps ? wanted : steps;
}

struct gemm_choice {
    std::string policy;  ///< "default", or a tile: "128x256x1024", "128x256x1024_split"; xe: a name of xe_policies.hpp
    std::string why;     ///< "measured", "ranked by machine code, not measured", "nearest measured: 512 x 1024 x 256", "nothing measured for ..."
};

class gemm_choices {
public:
    struct entry {
        std::string target, isa, type;
        int threads = 1;
        std::int64_t m = 1, n = 1, k = 1;
        std::string policy;
        double gain = 1;  ///< the default policy's time over this one's, when it was measured; modelled clocks where it was not
        std::string evidence = "measured";  ///< or "machine code": ranked by that, never run

        bool same_case(const entry& o) const;
    };

    gemm_choices() = default;
    /// Throws std::runtime_error with file, line and what is wrong.
    static gemm_choices parse(std::string_view toml, const std::string& name);
    static gemm_choices read(const std::filesystem::path& file);
    /// kernels/gemm/choices.toml as it was when this was built.
    static const gemm_choices& built_in();
    /// The file that KITTENS_GEMM_CHOICES names, read once, else the built-in table.
    static const gemm_choices& active();

    /// The policy of the measured shape that is nearest, by the distance of the logarithms of M, N, K (and, for half as
    /// much, of the number of threads), among entries of the same target, instruction set and type. Where there are more threads than
    /// were measured and its tiles are too few for them, another tile of the table; where threads would be left without a tile at all
    /// and K is long enough to share out, the nearest entry that does that, or, where none was measured, one of `compiled`, the tiles that the
    /// program has. What was ranked by machine code is taken for shapes near it only: a factor of 3 in each dimension, or of 8 in one alone; else the default.
    gemm_choice choose(const gemm_problem& problem, const std::vector<std::string>& compiled = {}) const;

    /// Replaces the entry of the same case.
    void set(const entry& e);
    const std::vector<entry>& entries() const noexcept { return entries_; }
    /// As TOML, sorted.
    std::string text() const;
    /// Writes beside the file first: it is there whole or not at all.
    void write(const std::filesystem::path& file) const;

private:
    std::vector<entry> entries_;
};

}  // namespace kernels
