// SPDX-License-Identifier: Apache-2.0
// What is refused, and what the messages say.
#include "gemm_problem.hpp"

#include <kittens/base/host_context.hpp>

#include <gtest/gtest.h>

namespace backend = kittens::sycl_backend;
using backend::path;
using kittens::dtype;
using testing::Test;

namespace {

std::string message_of(auto&& act) {
    try {
        act();
    } catch (const kittens::launch_error& e) {
        return e.what();
    }
    return "nothing was thrown";
}

void expect_in(const std::string& part, const std::string& text) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
}

struct small_args {
    int subgroups = 1;
    int groups = 1;
    std::size_t slm = 0;
};
kittens::launch_shape small_shape(const void* args) {
    const auto& a = *static_cast<const small_args*>(args);
    return {.groups = {a.groups, 1, 1}, .subgroups = a.subgroups, .slm_bytes = a.slm};
}
/// A kernel of a module, with small_args' launch shape. Records outlive what is built of them, so they are static.
kittens::kernel_record xe_record(const char* name, const char* module) {
    return {name, "xe", "", nullptr, small_shape, sizeof(small_args), {}, module};
}
void throwing_entry(const void*, void*) { throw std::runtime_error("the moon is full"); }

const kittens::kernel_record throwing{"throwing",         "cpu", "avx2", throwing_entry, small_shape,
                                      sizeof(small_args), {},    nullptr};

// A module that is none, and a kernel that its module does not hold.
const unsigned char no_spirv[8] = {1, 2, 3, 4, 5, 6, 7, 8};
const kittens::module_record broken_module{"sycl_test_broken", no_spirv, no_spirv + 8, no_spirv, no_spirv + 8};
const bool registered = (kittens::register_module(broken_module), true);
const auto in_broken = xe_record("in_broken", "sycl_test_broken");
const auto nowhere = xe_record("nowhere", "sycl_test_nowhere");

// A valid module whose kernel calls a function that no one defines.
constexpr std::uint32_t text(const char (&s)[5]) {
    return std::uint32_t(s[0]) | std::uint32_t(s[1]) << 8 | std::uint32_t(s[2]) << 16 | std::uint32_t(s[3]) << 24;
}
constexpr std::uint32_t op(std::uint32_t words, std::uint32_t code) { return words << 16 | code; }
const std::uint32_t calls_nobody[] = {
    0x07230203,
    0x00010000,
    0,
    7,
    0,  // SPIR-V 1.0, 7 ids
    op(2, 17),
    4,
    op(2, 17),
    5,
    op(2, 17),
    6,  // Addresses, Linkage, Kernel
    op(3, 14),
    2,
    2,  // Physical64 OpenCL
    op(6, 15),
    6,
    4,
    text("unre"),
    text("solv"),
    text("ed\0\0"),  // entry point %4
    op(8, 71),
    3,
    41,
    text("nowh"),
    text("ere_"),
    text("at_a"),
    text("ll\0\0"),
    1,  // %3 is imported
    op(2, 19),
    1,
    op(3, 33),
    2,
    1,  // %2 = void()
    op(5, 54),
    1,
    3,
    0,
    2,
    op(1, 56),  // %3 without a body
    op(5, 54),
    1,
    4,
    0,
    2,
    op(2, 248),
    5,
    op(4, 57),
    1,
    6,
    3,
    op(1, 253),
    op(1, 56),  // %4 calls %3
};
const auto* bad_begin = reinterpret_cast<const unsigned char*>(calls_nobody);
const kittens::module_record bad_module{"sycl_test_unresolved", bad_begin, bad_begin + sizeof calls_nobody, bad_begin,
                                        bad_begin + sizeof calls_nobody};
const bool bad_registered = (kittens::register_module(bad_module), true);
const auto unresolved = xe_record("unresolved", "sycl_test_unresolved");

class sycl_errors : public Test {
protected:
    async_errors errors;
    sycl::queue q{errors.handler()};
    bool spirv = registered && bad_registered && backend::takes_spirv(q.get_device());
};

TEST_F(sycl_errors, unknown_kernel) {
    const auto text = message_of([&] { backend::launch(q, "no_such_kernel", small_args{}); });
    expect_in("no_such_kernel", text);
    expect_in("gemm_bf16", text);
    expect_in("no_such_kernel",
              message_of([&] { backend::launch(q, "no_such_kernel", small_args{}, {}, path::software); }));
}

TEST_F(sycl_errors, other_globals) {
    expect_in("kernel gemm_bf16 takes globals of", message_of([&] { backend::launch(q, "gemm_bf16", small_args{}); }));
}

TEST_F(sycl_errors, path_that_the_device_cannot_go) {
    gemm_problem<kernels::default_policy(dtype::bf16)> p(q, {32, 64, 32});
    if (!backend::has_native_instructions(q.get_device())) {
        const auto text = message_of([&] { backend::launch(q, "gemm_bf16", p.globals(), {}, path::native); });
        expect_in("gemm_bf16", text);
        expect_in(q.get_device().get_info<sycl::info::device::name>(), text);
    }
    if (!spirv)
        expect_in("SPIR-V", message_of([&] { backend::launch(q, "gemm_bf16", p.globals(), {}, path::software); }));
    expect_in("compiled for cpu", message_of([&] { backend::launch(q, throwing, small_args{}, {}, path::software); }));
}

TEST_F(sycl_errors, emulated_kernel) {
    const auto* record = kittens::find_kernel("gemm_bf16", "emulated");
    ASSERT_NE(record, nullptr);
    gemm_problem<kernels::default_policy(dtype::bf16)> p(q, {32, 64, 32});
    expect_in("use kittens::queue", message_of([&] { backend::launch(q, *record, p.globals()); }));
}

TEST_F(sycl_errors, limits_on_the_host) {
    if (!q.get_device().is_cpu()) GTEST_SKIP() << "no CPU device";
    expect_in("throwing wants 100000 subgroups",
              message_of([&] { backend::launch(q, throwing, small_args{.subgroups = 100000}); }));
    expect_in("throwing wants a grid of 0", message_of([&] { backend::launch(q, throwing, small_args{.groups = 0}); }));
    expect_in("shared local memory",
              message_of([&] { backend::launch(q, throwing, small_args{.slm = std::size_t(1) << 40}); }));
}

TEST_F(sycl_errors, exception_in_a_kernel_goes_to_the_handler) {
    if (!q.get_device().is_cpu()) GTEST_SKIP() << "no CPU device";
    backend::launch(q, throwing, small_args{});
    q.wait_and_throw();
    ASSERT_EQ(errors.messages.size(), 1u);
    expect_in("throwing", errors.messages[0]);
    expect_in("the moon is full", errors.messages[0]);
    // The queue goes on.
    gemm_problem<kernels::default_policy(dtype::bf16)> p(q, {32, 64, 32});
    EXPECT_LT(p.error(backend::launch(q, "gemm_bf16", p.globals(), p.upload())), 0.02);
}

TEST_F(sycl_errors, limits_of_a_module) {
    if (!spirv) GTEST_SKIP() << "this SYCL implementation takes no SPIR-V";
    // A kernel of the module under its own name, with a launch shape of our choice.
    const auto* sum = kittens::find_kernel("scaled_sum", "xe");
    ASSERT_NE(sum, nullptr);
    static const auto odd = xe_record("scaled_sum", sum->module);
    expect_in("scaled_sum wants 100000 subgroups",
              message_of([&] { backend::launch(q, odd, small_args{.subgroups = 100000}); }));
    expect_in("scaled_sum wants a grid of -1", message_of([&] { backend::launch(q, odd, small_args{.groups = -1}); }));
    expect_in("shared local memory",
              message_of([&] { backend::launch(q, odd, small_args{.slm = std::size_t(1) << 40}); }));
}

TEST_F(sycl_errors, module_that_is_wrong) {
    if (!spirv) GTEST_SKIP() << "this SYCL implementation takes no SPIR-V";
    const auto* sum = kittens::find_kernel("scaled_sum", "xe");
    ASSERT_NE(sum, nullptr);
    static const auto absent = xe_record("absent", sum->module);
    expect_in("nowhere has no SPIR-V module", message_of([&] { backend::launch(q, nowhere, small_args{}); }));
    const auto build_message = [&](const kittens::kernel_record& record) -> std::string {
        try {
            backend::launch(q, record, small_args{});
        } catch (const kittens::build_error& e) {
            return e.what();
        }
        return "nothing was thrown";
    };
    expect_in(sum->module, build_message(absent));
    expect_in("no kernel 'absent'", build_message(absent));
    expect_in("in_broken", build_message(in_broken));
    expect_in("sycl_test_broken", build_message(in_broken));
    const auto text = build_message(unresolved);
    expect_in("kernel unresolved", text);
    expect_in(q.get_device().get_info<sycl::info::device::name>(), text);
}

}  // namespace
