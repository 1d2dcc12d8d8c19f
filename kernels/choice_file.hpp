// SPDX-License-Identifier: Apache-2.0
// What tables of measured choices have in common: TOML files of [[choice]] tables.
#pragma once

#include <fmt/format.h>
#include <toml++/toml.h>

#include <cmath>
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <initializer_list>
#include <iterator>
#include <stdexcept>
#include <string>
#include <string_view>

namespace kernels::choice_file {

/// One [[choice]] of a file. What is wrong with it is thrown as std::runtime_error with file and line.
struct choice {
    const toml::table& table;
    const std::string& name;

    [[noreturn]] void refuse(const std::string& what) const { throw std::runtime_error(fmt::format("{}:{}: {}", name, table.source().begin.line, what)); }
    template <class T> T field(const char* key) const {
        const auto value = table[key].value<T>();
        if (!value) refuse(fmt::format("a choice needs \"{}\"", key));
        return *value;
    }
    template <class T> T field(const char* key, T otherwise) const { return table[key].value_or(otherwise); }
    /// An array of as many positive integers as there are names.
    template <std::size_t N> void positive(const char* key, const char* names, std::int64_t* const (&to)[N]) const {
        const toml::array* list = table[key].as_array();
        bool good = list && list->size() == N;
        for (std::size_t i = 0; good && i < N; ++i) good = (*to[i] = (*list)[i].value_or(std::int64_t{0})) >= 1;
        if (!good) refuse(fmt::format("a choice needs {} = [{}], all positive", key, names));
    }
};

/// Calls `take` for every choice of a text; `name` is what errors call it.
template <class F> void for_each(std::string_view text, const std::string& name, F take) {
    toml::table all;
    try {
        all = toml::parse(text, name);
    } catch (const toml::parse_error& e) {
        throw std::runtime_error(fmt::format("{}:{}: {}", name, e.source().begin.line, e.description()));
    }
    const toml::array* list = all["choice"].as_array();
    if (!list) return;
    for (const toml::node& node : *list) {
        const toml::table* t = node.as_table();
        if (!t) throw std::runtime_error(fmt::format("{}:{}: a choice is a table: [[choice]]", name, node.source().begin.line));
        take(choice{*t, name});
    }
}

/// `what` names the file in the error.
inline std::string read(const std::filesystem::path& file, const char* what) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(fmt::format("cannot read {} {}", what, file.string()));
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Writes beside the file first: it is there whole or not at all.
inline void write(const std::filesystem::path& file, const std::string& text) {
    std::filesystem::path beside = file;
    beside += ".new";
    std::ofstream out(beside);
    out << text;
    out.close();
    if (!out) throw std::runtime_error(fmt::format("cannot write {}", beside.string()));
    std::filesystem::rename(beside, file);
}

/// Squared distance of two positive numbers in octaves.
inline double distance(double a, double b) { return std::log2(a / b) * std::log2(a / b); }

}  // namespace kernels::choice_file
