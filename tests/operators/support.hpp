// SPDX-License-Identifier: Apache-2.0
// Runs a problem of an operator on every target and instruction set, in memory that is poisoned all around.
#pragma once

#include <operators/kernel_problem.hpp>

#include <kittens/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <vector>

namespace operator_tests {

using namespace kittens;

/// The seed of this run; KITTENS_SEED repeats one.
inline std::uint64_t seed() {
    static const std::uint64_t value = [] {
        const char* given = std::getenv("KITTENS_SEED");
        const std::uint64_t s = given ? std::strtoull(given, nullptr, 10) : std::random_device{}();
        std::fprintf(stderr, "KITTENS_SEED=%llu\n", static_cast<unsigned long long>(s));
        return s;
    }();
    return value;
}

/// For cpu each instruction set that this machine has, and, if `slow`, the emulator. Target xe is in operators_test.py: its OpenCL
/// device compiles a kernel for longer than all of this takes.
inline std::vector<device> all_devices(bool slow = true) {
    std::vector<device> result;
    for (const device& d : devices()) {
        if (d.target() == "xe" || (!slow && d.target() != "cpu")) continue;
        const bool have = std::any_of(result.begin(), result.end(), [&](const device& o) { return o.target() == d.target(); });
        if (d.target() == "cpu" || !have) result.push_back(d);
    }
    return result;
}

/// Tensors on a device, with 4096 bytes of poison on either side of each.
class tensors {
public:
    tensors(const device& where, const std::vector<bench::tensor_spec>& specs) : specs_(specs) {
        for (const auto& t : specs) {
            memory_.emplace_back(where, t.bytes() + 2 * zone);
            std::memset(memory_.back().data(), poison_byte, memory_.back().size());
            pointers_.push_back(memory_.back().data() + zone);
        }
    }
    std::span<void* const> all() const { return pointers_; }
    void* operator[](std::string_view name) const {
        for (std::size_t i = 0; i < specs_.size(); ++i)
            if (specs_[i].name == name) return pointers_[i];
        ADD_FAILURE() << "no tensor " << name;
        return nullptr;
    }
    bool zones_intact() const {
        for (std::size_t i = 0; i < specs_.size(); ++i)
            for (std::size_t b = 0; b < zone; ++b)
                if (memory_[i][b] != std::byte{poison_byte} || memory_[i][zone + specs_[i].bytes() + b] != std::byte{poison_byte}) return false;
        return true;
    }

private:
    static constexpr std::size_t zone = 4096;
    std::vector<bench::tensor_spec> specs_;
    std::vector<buffer<std::byte>> memory_;
    std::vector<void*> pointers_;
};

/// Fills (and lets `change` have its way with the inputs), runs, and checks. Returns the tensors for more questions.
inline tensors run_and_check(const device& where, const tool::kernel_problem& problem, const std::function<void(const tensors&)>& change = {}) {
    SCOPED_TRACE(where.id() + ": " + problem.text());
    tensors t(where, problem.tensors());
    problem.fill(t.all(), seed());
    if (change) change(t);
    problem.candidate(where, t.all())();
    const bench::operator_verdict v = problem.check(t.all(), false);
    EXPECT_EQ(v.failure, "");
    EXPECT_TRUE(t.zones_intact()) << "something was written beside a tensor";
    return t;
}

}  // namespace operator_tests
