// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

namespace kittens::tool {

using namespace std::chrono_literals;

progress::progress(std::string what, std::uint64_t total)
    : what_(std::move(what)),
      total_(total),
      visible_(isatty(STDERR_FILENO) != 0 && std::getenv("CI") == nullptr) {}

progress::~progress() {
    if (shown_) std::fputs("\r\033[K", stderr);
}

void progress::advance(std::uint64_t steps) {
    if (!visible_) return;
    const std::lock_guard lock(mutex_);
    done_ += steps;
    const auto now = clock::now();
    if (now - start_ < 1s || now - drawn_ < 100ms) return;
    draw(now);
}

void progress::draw(clock::time_point now) {
    constexpr int width = 30;
    const double part = total_ == 0 ? 1.0 : static_cast<double>(done_) / static_cast<double>(total_);
    const int full = static_cast<int>(part * width);
    const double spent = std::chrono::duration<double>(now - start_).count();
    const double left = part > 0 ? spent / part - spent : 0;
    fmt::print(stderr, "\r{} [{:#<{}}{:-<{}}] {:3.0f} %, {:.0f} s left\033[K", what_, "", full, "", width - full,
               100 * part, left);
    shown_ = true;
    drawn_ = now;
}

}  // namespace kittens::tool
