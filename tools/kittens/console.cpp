// SPDX-License-Identifier: Apache-2.0
#include "console.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

namespace kittens::tool {

namespace {

/// Devices and pipes are written in place: they cannot be replaced by a rename.
bool is_special(const std::string& path) {
    struct stat s{};
    return stat(path.c_str(), &s) == 0 && !S_ISREG(s.st_mode) && !S_ISDIR(s.st_mode);
}

std::string beside(const std::string& path) { return fmt::format("{}.{}.tmp", path, getpid()); }

/// Writes all of it; returns 0 or errno.
int write_all(int file, std::string_view content) {
    while (!content.empty()) {
        const ssize_t n = ::write(file, content.data(), content.size());
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return errno;
        content.remove_prefix(static_cast<std::size_t>(n));
    }
    return 0;
}

}  // namespace

output_file::output_file(std::string path, std::string option) : path_(std::move(path)), option_(std::move(option)) {
    if (path_.empty()) throw user_error(fmt::format("{} needs the name of a file", option_));
    struct stat s{};
    if (stat(path_.c_str(), &s) == 0) {
        if (S_ISDIR(s.st_mode)) fail(EISDIR);
        if (access(path_.c_str(), W_OK) != 0) fail(errno);
        if (is_special(path_)) return;
    }
    const std::string probe = beside(path_);
    const int file = open(probe.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file < 0) fail(errno);
    close(file);
    unlink(probe.c_str());
}

void output_file::fail(int error) const {
    throw user_error(fmt::format("cannot write {} ({}): {}; name a file in a folder that exists and is writable", path_,
                                 option_, std::strerror(error)));
}

void output_file::write(std::string_view content) const {
    const bool in_place = is_special(path_);
    const std::string name = in_place ? path_ : beside(path_);
    const int file = open(name.c_str(), O_WRONLY | O_CLOEXEC | (in_place ? 0 : O_CREAT | O_TRUNC), 0666);
    if (file < 0) fail(errno);
    int error = write_all(file, content);
    if (close(file) != 0 && error == 0) error = errno;
    if (error == 0 && !in_place && std::rename(name.c_str(), path_.c_str()) != 0) error = errno;
    if (error != 0) {
        if (!in_place) unlink(name.c_str());
        fail(error);
    }
}

console::console(const std::string& json_path) {
    if (json_path == "-") to_stdout_ = true;
    else if (!json_path.empty()) file_.emplace(json_path, "--json");
}

void console::print(std::string_view text) const {
    std::FILE* out = to_stdout_ ? stderr : stdout;
    std::fwrite(text.data(), 1, text.size(), out);
    std::fflush(out);
}

void console::complain(std::string_view line) {
    std::string text = "kittens: ";
    for (const char c : line) text += c == '\n' ? ' ' : c;
    while (text.back() == ' ') text.pop_back();
    text += '\n';
    std::fwrite(text.data(), 1, text.size(), stderr);
}

void console::write(const json& document) const {
    // Names of devices and paths need not be UTF-8.
    const std::string text = document.dump(2, ' ', false, json::error_handler_t::replace) + "\n";
    if (file_) file_->write(text);
    if (to_stdout_ && (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() || std::fflush(stdout) != 0))
        throw user_error(fmt::format("cannot write the JSON to standard output: {}", std::strerror(errno)));
}

}  // namespace kittens::tool
