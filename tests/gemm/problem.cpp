// SPDX-License-Identifier: Apache-2.0
#include "gemm/problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <cstring>

namespace gemm_tests {

using namespace kittens;

namespace {

double value(const void* p, dtype t, std::size_t i) {
    switch (t) {
    case dtype::bf16: return static_cast<const bf16*>(p)[i];
    case dtype::f16: return static_cast<double>(static_cast<const half*>(p)[i]);
    case dtype::tf32: return static_cast<const tf32*>(p)[i];
    case dtype::i8: return static_cast<const int8*>(p)[i];
    case dtype::i32: return static_cast<const int32*>(p)[i];
    default: return static_cast<const float*>(p)[i];
    }
}

void set(void* p, dtype t, std::size_t i, float v) {
    switch (t) {
    case dtype::bf16: static_cast<bf16*>(p)[i] = bf16(v); break;
    case dtype::f16: static_cast<half*>(p)[i] = half(v); break;
    case dtype::tf32: static_cast<tf32*>(p)[i] = tf32(v); break;
    case dtype::i8: static_cast<int8*>(p)[i] = convert<int8>(v); break;
    case dtype::i32: static_cast<int32*>(p)[i] = convert<int32>(v); break;
    default: static_cast<float*>(p)[i] = v;
    }
}

/// Unit roundoff.
double roundoff(dtype t) { return t == dtype::bf16 ? 0x1p-8 : t == dtype::f16 ? 0x1p-11 : t == dtype::f32 ? 0x1p-24 : 0; }

/// Matrices in device memory with a pitch that block access allows and room between rows that stays poisoned.
struct tensor {
    dtype type;
    int batch, depth, rows, cols, pitch;
    std::int64_t plane;
    std::vector<std::byte> host;
    buffer<std::byte> memory;

    tensor(const device& where, dtype t, int b, int d, int r, int c)
        : type(t), batch(b), depth(d), rows(r), cols(c), pitch(((c * size_of(t) + 63) / 64 * 64 + 64) / size_of(t)), plane(std::int64_t(r) * pitch),
          host(static_cast<std::size_t>(b * d * plane * size_of(t)), std::byte{poison_byte}), memory(where, host.size(), memory_kind::device) {}

    std::size_t at(int b, int d, int r, int c) const { return static_cast<std::size_t>(((std::int64_t(b) * depth + d) * rows + r) * pitch + c); }
    double operator()(int b, int d, int r, int c) const { return value(host.data(), type, at(b, d, r, c)); }
    void fill(std::mt19937& random, bool whole) {
        std::normal_distribution<float> normal;
        std::uniform_int_distribution<int> small(-3, 3), bytes(-128, 127);
        for (int b = 0; b < batch; ++b)
            for (int d = 0; d < depth; ++d)
                for (int r = 0; r < rows; ++r)
                    for (int c = 0; c < cols; ++c) set(host.data(), type, at(b, d, r, c), type == dtype::i8 ? float(bytes(random)) : whole ? float(small(random)) : normal(random));
    }
    void zero() {
        for (int b = 0; b < batch; ++b)
            for (int d = 0; d < depth; ++d)
                for (int r = 0; r < rows; ++r) std::memset(host.data() + at(b, d, r, 0) * static_cast<std::size_t>(size_of(type)), 0, static_cast<std::size_t>(cols * size_of(type)));
    }
    void upload(queue& q) { q.copy(memory.data(), host.data(), host.size()).wait(); }
    void download(queue& q) { q.copy(host.data(), memory.data(), host.size()).wait(); }
    bool gaps_poisoned() const {
        const auto size = static_cast<std::size_t>(size_of(type));
        for (int b = 0; b < batch; ++b)
            for (int d = 0; d < depth; ++d)
                for (int r = 0; r < rows; ++r)
                    for (std::size_t i = at(b, d, r, cols) * size; i < at(b, d, r, pitch) * size; ++i)
                        if (host[i] != std::byte{poison_byte}) return false;
        return true;
    }
    template <class GL> GL layout(int shared_batches = 0) const {
        using T = typename GL::element;
        return {reinterpret_cast<T*>(memory.data()), std::max(batch, shared_batches), depth, rows, cols, pitch, plane, shared_batches ? 0 : depth * plane};
    }
};

double activated(double x, kernels::activation act) {
    switch (act) {
    case kernels::activation::relu: return x > 0 ? x : 0;
    case kernels::activation::silu: return x / (1 + std::exp(-x));
    case kernels::activation::gelu: return 0.5 * x * (1 + std::tanh(0.79788456080286535588 * (x + 0.044715 * x * x * x)));
    default: return x;
    }
}

struct operands {
    tensor a, b, c, bias, residual;
};

template <gemm_policy P> void launch_kernel(queue& q, const std::string& name, const operands& o, const problem& p) {
    using kernel = kernels::gemm<P>;
    typename kernel::globals g{o.a.layout<decltype(kernel::globals::a)>(), o.b.layout<decltype(kernel::globals::b)>(p.shared_b ? p.batch : 0), o.c.layout<decltype(kernel::globals::c)>()};
    if constexpr (P.split == kernels::split_kind::atomic || P.split == kernels::split_kind::stream) g.split.parts = p.parts;
    if constexpr (P.epilogue) {
        g.epilogue.alpha = p.alpha;
        g.epilogue.beta = p.beta;
        g.epilogue.act = p.act;
        if (p.bias) g.epilogue.bias = o.bias.layout<decltype(g.epilogue.bias)>();
        if (p.residual) g.epilogue.residual = o.residual.layout<decltype(g.epilogue.residual)>();
    }
    run(q, name, g);
}

using launcher = void (*)(queue&, const std::string&, const operands&, const problem&);
struct registered {
    kernel_case what;
    launcher run;
};
const std::vector<registered>& all_kernels() {
#define ENTRY(NAME, IN, OUT, FORM, A, B, ACCESS, PREFETCH, ORDER)                                          \
    {{"test_" #NAME, GEMM_TEST_POLICY(IN, OUT, FORM, A, B, ACCESS, PREFETCH, ORDER), gemm_form::FORM}, \
     launch_kernel<GEMM_TEST_POLICY(IN, OUT, FORM, A, B, ACCESS, PREFETCH, ORDER)>},
#define LADDER_ENTRY(NAME) {{"test_ladder_" #NAME, kernels::NAME(dtype::bf16), gemm_form::product}, launch_kernel<kernels::NAME(dtype::bf16)>},
    static const std::vector<registered> all{GEMM_TEST_BF16(ENTRY) GEMM_TEST_SPLIT(ENTRY) GEMM_TEST_PACKED(ENTRY) GEMM_TEST_OTHER(ENTRY) GEMM_TEST_INT8(ENTRY) GEMM_TEST_LADDER(LADDER_ENTRY)
        {{"test_packing", packing_policy(), gemm_form::product}, launch_kernel<packing_policy()>}};
    return all;
}

/// The second pass over planes or float sums, without an epilogue: its own test has that.
std::string added_up(const tensor& c, double expected, double bound, int b, int i, int j) {
    double sum = 0;
    for (int d = 0; d < c.depth; ++d) sum += c(b, d, i, j);
    const bool right = c.type == dtype::i32 ? std::int32_t(std::uint32_t(std::int64_t(sum))) == std::int32_t(std::uint32_t(std::int64_t(expected)))
                                            : std::abs(sum - expected) <= bound;
    if (right) return {};
    return fmt::format("element ({}, {}, {}) is {:.9g} instead of {:.9g} (bound {:.3g})", b, i, j, sum, expected, bound);
}

}  // namespace

const std::vector<kernel_case>& kernel_cases() {
    static const auto cases = [] {
        std::vector<kernel_case> list;
        for (const auto& r : all_kernels()) list.push_back(r.what);
        return list;
    }();
    return cases;
}

std::string problem::text() const {
    return fmt::format("m {} n {} k {} batch {}{} parts {}{} alpha {} beta {}{}{} activation {}", m, n, k, batch, shared_b ? " (one B)" : "", parts, whole ? " whole" : "",
                       alpha, beta, bias ? " bias" : "", residual ? " residual" : "", int(act));
}

problem random_problem(std::mt19937& random, const gemm_policy& policy, int most) {
    const auto uniform = [&](int lo, int hi) { return std::uniform_int_distribution<int>(lo, hi)(random); };
    problem p{.m = uniform(1, most), .n = uniform(1, most), .k = uniform(1, most), .batch = uniform(1, 2), .parts = uniform(1, 5), .whole = uniform(0, 1) == 1};
    if (policy.access == access::block) {
        // Rows of at least 64 bytes, a multiple of 4 long.
        const auto legal = [](int n, dtype t) { const int unit = std::max(1, 4 / size_of(t)); return std::max(64 / size_of(t), (n + unit - 1) / unit * unit); };
        (policy.a == stored::normal ? p.k : p.m) = legal(policy.a == stored::normal ? p.k : p.m, policy.in);
        (policy.b == stored::normal ? p.n : p.k) = legal(policy.b == stored::normal ? p.n : p.k, policy.in);
        p.n = std::max(p.n, legal(p.n, policy.out));
    }
    p.shared_b = p.batch > 1 && uniform(0, 1);
    if (policy.epilogue) {
        p.alpha = p.whole ? float(uniform(-2, 2)) : std::normal_distribution<float>()(random);
        p.beta = uniform(0, 1) ? p.whole ? float(uniform(-2, 2)) : 0.75f : 0;
        p.bias = uniform(0, 1);
        p.residual = uniform(0, 1);
        p.act = kernels::activation(uniform(0, 3));
    }
    return p;
}

std::string run_and_compare(const device& where, const kernel_case& kernel, const problem& p, std::mt19937& random) {
    const gemm_policy& s = kernel.policy;
    const bool at = s.a == stored::transposed, bt = s.b == stored::transposed, packed = s.b == stored::packed;
    const int per_word = packed ? 4 / size_of(s.in) : 1;
    const int planes = kernel.form == gemm_form::sums ? p.parts : 1;
    operands o{{where, s.in, p.batch, 1, at ? p.k : p.m, at ? p.m : p.k},
               {where, s.in, p.shared_b ? 1 : p.batch, 1, packed ? (p.k + per_word - 1) / per_word : bt ? p.n : p.k, bt ? p.k : p.n * per_word},
               {where, s.out, p.batch, planes, p.m, p.n},
               {where, s.out, 1, 1, 1, p.n},
               {where, s.out, p.batch, 1, p.m, p.n}};
    for (tensor* t : {&o.a, &o.b, &o.bias, &o.residual}) t->fill(random, p.whole);
    if (p.beta != 0) o.c.fill(random, p.whole);
    else if (kernel.form == gemm_form::atomic || kernel.form == gemm_form::stream) o.c.zero();
    const tensor* const old = &o.c;
    const std::vector<std::byte> before = o.c.host;
    queue q(where);
    for (tensor* t : {&o.a, &o.b, &o.c, &o.bias, &o.residual}) t->upload(q);
    const auto found = std::find_if(all_kernels().begin(), all_kernels().end(), [&](const auto& r) { return r.what.name == kernel.name; });
    found->run(q, kernel.name, o, p);
    o.c.download(q);
    if (!o.c.gaps_poisoned()) return "something was written between the rows of C";

    for (int b = 0; b < p.batch; ++b)
        for (int i = 0; i < p.m; ++i)
            for (int j = 0; j < p.n; ++j) {
                double sum = 0, size = 0;
                for (int k = 0; k < p.k; ++k) {
                    const int bb = p.shared_b ? 0 : b;
                    const double x = at ? o.a(b, 0, k, i) : o.a(b, 0, i, k);
                    const double y = bt ? o.b(bb, 0, j, k) : o.b(bb, 0, k / per_word, j * per_word + k % per_word);
                    sum += x * y;
                    size += std::abs(x * y);
                }
                // Products of these types are exact in float. Every addition rounds once, in whatever order: at most K + parts of
                // them, and as many again where an instruction rounds its own partial sum; none where all sums are whole
                // numbers below 2^24.
                double bound = p.whole ? 0 : (2.0 * p.k + p.parts + 2) * 0x1p-24 * size, expected = sum;
                if (s.epilogue) {
                    const double c = p.beta != 0 ? value(before.data(), s.out, old->at(b, 0, i, j)) : 0;
                    const double x = p.alpha * sum + p.beta * c + (p.bias ? o.bias(0, 0, 0, j) : 0);
                    const double inner = std::abs(p.alpha) * size + std::abs(p.beta * c) + (p.bias ? std::abs(o.bias(0, 0, 0, j)) : 0);
                    bound = std::abs(p.alpha) * bound + (p.whole ? 0 : 6 * 0x1p-24 * inner);
                    expected = activated(x, p.act);
                    // The activations' slopes are at most 1.13, and their native functions (exponential, reciprocal: a few units
                    // in the last place each) and the float arithmetic around them stay within 2^-19 of the result's size and 1.
                    if (p.act == kernels::activation::gelu || p.act == kernels::activation::silu) bound = 1.13 * bound + 0x1p-19 * (std::abs(x) + 1);
                    if (p.residual) {
                        expected += o.residual(b, 0, i, j);
                        if (!p.whole || bound > 0) bound += 0x1p-24 * (std::abs(expected) + std::abs(o.residual(b, 0, i, j)));
                    }
                }
                bound += roundoff(s.out) * (std::abs(expected) + bound) * (p.whole && s.out == dtype::f32 && bound == 0 ? 0 : 1);
                // What is smaller than any normal number may be flushed to zero; half has subnormal steps of 2^-24.
                bound += p.whole && s.out == dtype::f32 ? 0 : s.out == dtype::f16 ? 0x1p-24 : 0x1p-126;
                if (auto wrong = added_up(o.c, expected, bound, b, i, j); !wrong.empty()) return wrong;
            }
    return {};
}

std::vector<device> devices_under_test() {
    const char* wanted = std::getenv("KITTENS_TEST_TARGET");
    std::vector<device> found;
    for (const device& d : devices())
        if (wanted == nullptr || d.target() == wanted) found.push_back(d);
    return found;
}

unsigned seed() {
    static const unsigned drawn = [] {
        const char* given = std::getenv("KITTENS_SEED");
        const unsigned s = given ? static_cast<unsigned>(std::strtoul(given, nullptr, 10)) : std::random_device{}();
        std::fprintf(stderr, "KITTENS_SEED=%u\n", s);
        return s;
    }();
    return drawn;
}

}  // namespace gemm_tests
