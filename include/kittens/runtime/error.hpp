// SPDX-License-Identifier: Apache-2.0
// What the runtime throws. Every message is one line; the hint says what to do about it.
#pragma once

#include <array>
#include <stdexcept>
#include <string>
#include <vector>

namespace kittens {

/// Base of all errors of the runtime. `what()` is "message" or "message; hint".
class error : public std::runtime_error {
public:
    explicit error(std::string message, std::string hint = {});
    /// What is wrong.
    const std::string& message() const noexcept { return message_; }
    /// What to do about it; may be empty.
    const std::string& hint() const noexcept { return hint_; }

private:
    std::string message_, hint_;
};

/// A device, or the software that drives it, is not there or does not do what is needed.
class device_error : public error {
public:
    using error::error;
};

/// An allocation, a copy or a fill that cannot be done.
class memory_error : public error {
public:
    using error::error;
};

/// A launch that was refused: unknown kernel, wrong arguments, a limit of the device.
class launch_error : public error {
public:
    using error::error;
};

/// A SPIR-V module that the device's compiler refused; `build_log()` is the compiler's own text.
class build_error : public error {
public:
    build_error(std::string message, std::string hint, std::string build_log);
    const std::string& build_log() const noexcept { return build_log_; }

private:
    std::string build_log_;
};

/// Something went wrong inside a kernel. Thrown by `event::wait` and `queue::wait`.
class kernel_error : public error {
public:
    /// `group` is {-1, -1, -1} where no single workgroup can be named.
    kernel_error(std::string kernel, std::string target, std::array<int, 3> group, std::string detail,
                 std::vector<std::string> reports = {});
    const std::string& kernel() const noexcept { return kernel_; }
    const std::string& target() const noexcept { return target_; }
    const std::array<int, 3>& group() const noexcept { return group_; }
    /// The emulator's reports, one line each; empty on other targets.
    const std::vector<std::string>& reports() const noexcept { return reports_; }

private:
    std::string kernel_, target_;
    std::array<int, 3> group_;
    std::vector<std::string> reports_;
};

}  // namespace kittens
