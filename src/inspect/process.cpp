// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/process.hpp"

#include <fcntl.h>
#include <poll.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <csignal>
#include <cstring>
#include <stdexcept>
#include <system_error>

extern char** environ;

namespace kittens::inspect {
namespace {

void check(int error, const std::string& what) {
    if (error != 0) throw std::system_error(error, std::generic_category(), what);
}

struct pipe_pair {
    int read = -1;
    int write = -1;

    pipe_pair() {
        int ends[2];
        if (::pipe2(ends, O_CLOEXEC) != 0) check(errno, "pipe");
        read = ends[0];
        write = ends[1];
    }
    pipe_pair(const pipe_pair&) = delete;
    pipe_pair& operator=(const pipe_pair&) = delete;
    ~pipe_pair() {
        close_read();
        close_write();
    }
    void close_read() {
        if (read >= 0) ::close(read);
        read = -1;
    }
    void close_write() {
        if (write >= 0) ::close(write);
        write = -1;
    }
};

struct spawn_actions {
    posix_spawn_file_actions_t value;

    spawn_actions() { check(::posix_spawn_file_actions_init(&value), "posix_spawn"); }
    spawn_actions(const spawn_actions&) = delete;
    spawn_actions& operator=(const spawn_actions&) = delete;
    ~spawn_actions() { ::posix_spawn_file_actions_destroy(&value); }
};

std::vector<std::string> merged_environment(const process_options& options) {
    std::vector<std::string> result;
    for (char** entry = environ; entry != nullptr && *entry != nullptr; ++entry) {
        const std::string text = *entry;
        const std::string name = text.substr(0, text.find('='));
        bool replaced = false;
        for (const auto& [key, value] : options.environment) replaced |= key == name;
        if (!replaced) result.push_back(text);
    }
    for (const auto& [key, value] : options.environment) result.push_back(key + "=" + value);
    return result;
}

std::vector<char*> pointers(std::vector<std::string>& strings) {
    std::vector<char*> result;
    for (auto& s : strings) result.push_back(s.data());
    result.push_back(nullptr);
    return result;
}

/// Reads what is there; closes the read end at the end of the stream.
void drain(pipe_pair& pipe, std::string& into) {
    std::array<char, 1 << 16> buffer;
    const ssize_t n = ::read(pipe.read, buffer.data(), buffer.size());
    if (n > 0) into.append(buffer.data(), static_cast<std::size_t>(n));
    else if (n == 0 || errno != EINTR) pipe.close_read();
}

}  // namespace

std::string process_result::describe() const {
    if (timed_out) return "no answer in time";
    if (signal != 0) return "signal " + std::to_string(signal);
    return "exit status " + std::to_string(exit_code);
}

process_result run_process(const std::vector<std::string>& argv, const process_options& options) {
    if (argv.empty()) throw std::invalid_argument("run_process: no program named");
    process_result result;
    pipe_pair out;
    pipe_pair err;
    spawn_actions actions;
    check(::posix_spawn_file_actions_addopen(&actions.value, 0, "/dev/null", O_RDONLY, 0), argv[0]);
    check(::posix_spawn_file_actions_adddup2(&actions.value, out.write, 1), argv[0]);
    check(::posix_spawn_file_actions_adddup2(&actions.value, err.write, 2), argv[0]);
    if (!options.working_directory.empty())
        check(::posix_spawn_file_actions_addchdir_np(&actions.value, options.working_directory.c_str()), argv[0]);

    auto arguments = argv;
    auto environment = merged_environment(options);
    const auto argument_pointers = pointers(arguments);
    const auto environment_pointers = pointers(environment);
    pid_t pid = -1;
    check(::posix_spawnp(&pid, argv[0].c_str(), &actions.value, nullptr, argument_pointers.data(),
                         environment_pointers.data()),
          argv[0]);
    out.close_write();
    err.close_write();

    using clock = std::chrono::steady_clock;
    const auto deadline = clock::now() + options.timeout;
    while (out.read >= 0 || err.read >= 0) {
        const auto left = std::chrono::duration_cast<std::chrono::milliseconds>(deadline - clock::now()).count();
        if (left <= 0) {
            result.timed_out = true;
            ::kill(pid, SIGKILL);
            break;
        }
        // A negative descriptor makes poll() skip the entry.
        std::array<pollfd, 2> fds{pollfd{out.read, POLLIN, 0}, pollfd{err.read, POLLIN, 0}};
        const int ready = ::poll(fds.data(), fds.size(), static_cast<int>(std::min<long long>(left, 60'000)));
        if (ready < 0 && errno != EINTR) break;
        if (ready <= 0) continue;
        if (fds[0].revents != 0) drain(out, result.out);
        if (fds[1].revents != 0) drain(err, result.err);
    }

    int status = 0;
    while (::waitpid(pid, &status, 0) < 0)
        if (errno != EINTR) check(errno, argv[0]);
    if (WIFEXITED(status)) result.exit_code = WEXITSTATUS(status);
    if (WIFSIGNALED(status)) result.signal = WTERMSIG(status);
    return result;
}

}  // namespace kittens::inspect
