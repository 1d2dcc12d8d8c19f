// SPDX-License-Identifier: Apache-2.0
#include <kittens/runtime/error.hpp>

#include <fmt/format.h>

namespace kittens {

namespace {

std::string joined(const std::string& message, const std::string& hint) {
    return hint.empty() ? message : message + "; " + hint;
}

std::string where(const std::string& kernel, const std::string& target, const std::array<int, 3>& group) {
    if (group[0] < 0) return fmt::format("kernel {} ({})", kernel, target);
    return fmt::format("kernel {} ({}), workgroup {},{},{}", kernel, target, group[0], group[1], group[2]);
}

}  // namespace

error::error(std::string message, std::string hint)
    : std::runtime_error(joined(message, hint)),
      message_(std::move(message)),
      hint_(std::move(hint)) {}

build_error::build_error(std::string message, std::string hint, std::string build_log)
    : error(std::move(message), std::move(hint)),
      build_log_(std::move(build_log)) {}

kernel_error::kernel_error(std::string kernel, std::string target, std::array<int, 3> group, std::string detail,
                           std::vector<std::string> reports)
    : error(fmt::format("{}: {}", where(kernel, target, group), detail)),
      kernel_(std::move(kernel)),
      target_(std::move(target)),
      group_(group),
      reports_(std::move(reports)) {}

}  // namespace kittens
