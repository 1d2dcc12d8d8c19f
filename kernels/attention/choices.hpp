// SPDX-License-Identifier: Apache-2.0
// Which policy attention takes, and into how many parts it cuts the keys: a table of measured choices, and what follows from it for
// problems that were never measured. The choice depends on lengths and on the batch: small batches want parallelism, large ones large tiles.
#pragma once

#include <cstdint>
#include <filesystem>
#include <string>
#include <string_view>
#include <vector>

namespace kernels {

struct attention_case {
    std::string target, isa;  ///< "cpu", "amx"
    std::string type = "bf16";
    int threads = 1;
    std::int64_t dim = 128, batch = 1, heads = 1, key_heads = 1, queries = 1, keys = 1;
    bool causal = false;
    /// Whether the decoding policy may take it.
    bool decodes = false;
};

struct attention_choice {
    std::string policy;  ///< "default", "rows8", "keys256", "decode", ...
    int splits = 0;      ///< 0: the launcher's own choice
    std::string why;     ///< "measured", "nearest measured: ...", "nothing measured for ..."
};

class attention_choices {
public:
    struct entry {
        attention_case of;
        std::string policy;
        int splits = 0;
        double gain = 1;  ///< the default policy's time over this one's, when it was measured
    };

    /// Throws std::runtime_error with file, line and what is wrong.
    static attention_choices parse(std::string_view toml, const std::string& name);
    static attention_choices read(const std::filesystem::path& file);
    /// kernels/attention/choices.toml as it was when this was built.
    static const attention_choices& built_in();
    /// The file that KITTENS_ATTENTION_CHOICES names, read once, else the built-in table.
    static const attention_choices& active();

    /// The choice of the measured case that is nearest, by the distance of the logarithms of lengths, batch, heads and (for half as much)
    /// threads; causal or not counts as one octave. Among entries of the same target, instruction set, type and head dimension whose
    /// policy may take the case.
    attention_choice choose(const attention_case& problem) const;

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
