// SPDX-License-Identifier: Apache-2.0
#include "idle.hpp"

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <dirent.h>
#include <string>
#include <thread>
#include <unistd.h>

namespace kittens::bench {

namespace {

/// Whether any thread but the caller is running or runnable.
bool others_run() {
    DIR* tasks = opendir("/proc/self/task");
    if (!tasks) return false;
    const long self = gettid();
    bool found = false;
    while (const dirent* entry = readdir(tasks)) {
        const long id = std::strtol(entry->d_name, nullptr, 10);
        if (id == 0 || id == self) continue;
        char line[512];
        std::FILE* file = std::fopen(("/proc/self/task/" + std::string(entry->d_name) + "/stat").c_str(), "re");
        if (!file) continue;  // it has ended meanwhile
        const std::size_t n = std::fread(line, 1, sizeof line - 1, file);
        std::fclose(file);
        line[n] = 0;
        // "id (name) state ...": the name may hold anything, so from the last parenthesis.
        if (const char* end = std::strrchr(line, ')'); end && end[1] == ' ' && end[2] == 'R') {
            found = true;
            break;
        }
    }
    closedir(tasks);
    return found;
}

}  // namespace

bool wait_for_idle_threads(double limit) {
    using clock = std::chrono::steady_clock;
    const auto deadline = clock::now() + std::chrono::duration<double>(limit);
    while (others_run()) {
        if (clock::now() > deadline) return false;
        std::this_thread::sleep_for(std::chrono::microseconds(100));
    }
    return true;
}

}  // namespace kittens::bench
