// SPDX-License-Identifier: Apache-2.0
// with_isa LEVEL PROGRAM ARGUMENTS...: runs a program that was compiled for an instruction set, or exits with 77 ("skipped")
// where this machine does not have it. The program cannot ask itself: its first instruction may be one too many.
#include <kittens/runtime/cpu_isa.hpp>

#include <unistd.h>

#include <algorithm>
#include <cstdio>

int main(int argc, char** argv) {
    if (argc < 3) {
        std::fprintf(stderr, "usage: with_isa LEVEL PROGRAM ARGUMENTS...\n");
        return 2;
    }
    const auto level = kittens::parse_cpu_isa(argv[1]);
    if (!level) {
        std::fprintf(stderr, "with_isa: there is no instruction set \"%s\"\n", argv[1]);
        return 2;
    }
    const auto usable = kittens::usable_cpu_isas();
    if (std::find(usable.begin(), usable.end(), *level) == usable.end()) {
        std::printf("skipped: this machine does not run %s, or KITTENS_MAX_CPU_ISA forbids it\n", argv[1]);
        return 77;
    }
    execv(argv[2], argv + 2);
    std::perror(argv[2]);
    return 2;
}
