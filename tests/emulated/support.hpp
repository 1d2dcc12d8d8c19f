// SPDX-License-Identifier: Apache-2.0
// Runs a lambda as an emulated kernel.
#pragma once

#include <gtest/gtest.h>
#include <kittens/target/emulated/engine.hpp>
#include <kittens/target/xe/isa.hpp>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <memory>
#include <random>
#include <string>
#include <vector>

namespace emulated_tests {

namespace emulated = kittens::emulated;
namespace isa = kittens::isa;
namespace model = kittens::model;
using namespace kittens::xe_vec;
using emulated::fault_kind;

struct shape {
    int subgroups = 1;
    std::size_t slm_bytes = 0;
    int groups_x = 1;
    emulated::options options{};
};

/// Runs body(slm) once per lane.
template <class F> emulated::launch_report run(const shape& s, const F& body) {
    emulated::launch l;
    l.kernel = "test_kernel";
    l.groups[0] = s.groups_x;
    l.subgroups = s.subgroups;
    l.slm_bytes = s.slm_bytes;
    l.options = s.options;
    l.args = &body;
    l.entry = [](const void* f, void* slm) { (*static_cast<const F*>(f))(static_cast<char*>(slm)); };
    return emulated::run(l);
}
template <class F> emulated::launch_report run(const F& body) { return run(shape{}, body); }

/// The fault of a kind, or nullptr.
inline const emulated::fault* find(const emulated::launch_report& r, fault_kind kind) {
    for (const emulated::fault& f : r.faults)
        if (f.kind == kind) return &f;
    return nullptr;
}

/// Exactly one fault, of this kind, whose message has the text.
#define EXPECT_ONE_FAULT(REPORT, KIND, TEXT)                                                 \
    do {                                                                                     \
        const auto& report_ = (REPORT);                                                      \
        ASSERT_EQ(1u, report_.faults.size()) << report_.text();                              \
        EXPECT_EQ(KIND, report_.faults[0].kind) << report_.text();                           \
        EXPECT_EQ("test_kernel", report_.faults[0].kernel);                                  \
        EXPECT_NE(std::string::npos, report_.faults[0].text().find(TEXT)) << report_.text(); \
    } while (false)

/// Registered global memory, 64-byte aligned, filled with random bytes.
template <class T> class tensor {
public:
    explicit tensor(std::size_t n, const char* name = "tensor")
        : n_(n),
          data_(static_cast<T*>(std::aligned_alloc(64, (n * sizeof(T) + 127) / 64 * 64))) {
        std::mt19937 random(std::random_device{}());
        auto* bytes = reinterpret_cast<unsigned char*>(data_.get());
        for (std::size_t i = 0; i < n * sizeof(T); ++i) bytes[i] = static_cast<unsigned char>(random());
        emulated::register_allocation(data_.get(), n * sizeof(T), name);
    }
    ~tensor() { emulated::unregister_allocation(data_.get()); }
    tensor(const tensor&) = delete;
    tensor& operator=(const tensor&) = delete;
    T* data() const { return data_.get(); }
    std::size_t size() const { return n_; }
    T& operator[](std::size_t i) const { return data_.get()[i]; }
    T* begin() const { return data(); }
    T* end() const { return data() + n_; }

private:
    struct release {
        void operator()(T* p) const { std::free(p); }
    };
    std::size_t n_;
    std::unique_ptr<T, release> data_;
};

}  // namespace emulated_tests
