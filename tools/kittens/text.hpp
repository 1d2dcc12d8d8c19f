// SPDX-License-Identifier: Apache-2.0
// Values of options, and figures for people.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace kittens::tool {

/// A whole number of decimal digits from `least` to `most`. Throws user_error with the option and the range.
std::int64_t whole_number(std::string_view option, std::string_view text, std::int64_t least, std::int64_t most);

/// A seed: any unsigned 64-bit number.
std::uint64_t seed_number(std::string_view text, std::string_view option = "--seed");

/// A finite positive number.
double positive_number(std::string_view option, std::string_view text);

/// Throws user_error with the choices where `text` is none of them. `what` is e.g. "element type".
void require_choice(std::string_view what, std::string_view text, const std::vector<std::string>& choices);

/// The seed of a run that was given none.
std::uint64_t fresh_seed();

/// "1.23 ms"
std::string show_seconds(double seconds);
/// "22.4 GiB"
std::string show_bytes(std::uint64_t bytes);
/// "1,234,567"
std::string show_count(std::uint64_t n);

}  // namespace kittens::tool
