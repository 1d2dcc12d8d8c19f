// SPDX-License-Identifier: Apache-2.0
#include "text.hpp"

#include "console.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <random>

namespace kittens::tool {

namespace {

/// All of `text` as a number, or false.
template <class T>
bool parse(std::string_view text, T& value) {
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

}  // namespace

std::int64_t whole_number(std::string_view option, std::string_view text, std::int64_t least, std::int64_t most) {
    std::int64_t value = 0;
    if (!parse(text, value) || value < least || value > most)
        throw user_error(fmt::format("{} must be a whole number from {} to {}, not \"{}\"", option, least, most, text));
    return value;
}

std::uint64_t seed_number(std::string_view text, std::string_view option) {
    std::uint64_t value = 0;
    if (!parse(text, value))
        throw user_error(fmt::format("{} must be a whole number from 0 to {}, not \"{}\"", option, UINT64_MAX, text));
    return value;
}

double positive_number(std::string_view option, std::string_view text) {
    double value = 0;
    if (!parse(text, value) || !std::isfinite(value) || value <= 0)
        throw user_error(fmt::format("{} must be a positive number, not \"{}\"", option, text));
    return value;
}

void require_choice(std::string_view what, std::string_view text, const std::vector<std::string>& choices) {
    if (std::find(choices.begin(), choices.end(), text) != choices.end()) return;
    throw user_error(fmt::format("there is no {} \"{}\"; {}{}", what, text,
                                 choices.size() > 1 ? "choose one of " : "there is only ", fmt::join(choices, ", ")));
}

std::uint64_t fresh_seed() { return std::random_device{}(); }

std::string show_seconds(double seconds) {
    if (seconds < 1e-3) return fmt::format("{:.3g} us", seconds * 1e6);
    if (seconds < 1) return fmt::format("{:.3g} ms", seconds * 1e3);
    return fmt::format("{:.3f} s", seconds);
}

std::string show_bytes(std::uint64_t bytes) {
    static constexpr const char* units[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
    auto value = static_cast<double>(bytes);
    std::size_t unit = 0;
    while (value >= 1024 && unit + 1 < std::size(units)) value /= 1024, ++unit;
    return unit == 0 ? fmt::format("{} B", bytes) : fmt::format("{:.1f} {}", value, units[unit]);
}

std::string show_count(std::uint64_t n) {
    std::string digits = std::to_string(n);
    for (auto i = static_cast<std::ptrdiff_t>(digits.size()) - 3; i > 0; i -= 3)
        digits.insert(static_cast<std::size_t>(i), ",");
    return digits;
}

}  // namespace kittens::tool
