// SPDX-License-Identifier: Apache-2.0
// Small file helpers of the inspector's sources; not installed.
#pragma once

#include <stdlib.h>

#include <cstddef>
#include <filesystem>
#include <fstream>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

#include "kittens/inspect/toolchain.hpp"

namespace kittens::inspect {

/// Removed with all that is in it at the end of its scope.
class temporary_directory {
public:
    temporary_directory() {
        const auto parent = std::filesystem::temp_directory_path();
        std::string pattern = (parent / "kittens-XXXXXX").string();
        if (::mkdtemp(pattern.data()) == nullptr)
            throw inspect_error("cannot make a temporary directory in " + parent.string());
        path_ = pattern;
    }
    temporary_directory(const temporary_directory&) = delete;
    temporary_directory& operator=(const temporary_directory&) = delete;
    ~temporary_directory() {
        std::error_code ignored;
        std::filesystem::remove_all(path_, ignored);
    }
    std::filesystem::path operator/(const char* name) const { return path_ / name; }
    const std::filesystem::path& path() const { return path_; }

private:
    std::filesystem::path path_;
};

inline std::string_view as_text(std::span<const std::byte> data) {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

inline std::optional<std::vector<std::byte>> read_file(const std::filesystem::path& file) {
    std::ifstream in(file, std::ios::binary | std::ios::ate);
    if (!in) return {};
    std::vector<std::byte> data(static_cast<std::size_t>(in.tellg()));
    in.seekg(0);
    if (!in.read(reinterpret_cast<char*>(data.data()), static_cast<std::streamsize>(data.size()))) return {};
    return data;
}

inline bool write_file(const std::filesystem::path& file, std::string_view data) {
    std::ofstream out(file, std::ios::binary | std::ios::trunc);
    out.write(data.data(), static_cast<std::streamsize>(data.size()));
    out.close();
    return static_cast<bool>(out);
}

}  // namespace kittens::inspect
