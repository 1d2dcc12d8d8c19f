// SPDX-License-Identifier: Apache-2.0
#include "gemm_general.hpp"

#include "../operands.hpp"
#include "../text.hpp"
#include "gemm_check.hpp"
#include "gemm_verdict.hpp"

#include <fmt/format.h>
#include <gemm/forms.hpp>
#include <gemm/gemm.hpp>
#include <gemm/split_k.hpp>

#include <algorithm>
#include <cstring>

namespace kittens::tool {

namespace {

using kernels::gemm_form;

/// A tensor on the device. Its rows are as long as the 2-D block instructions demand, with zeros behind the last column, and
/// each begins at a multiple of 64 bytes.
struct matrix {
    dtype type;
    std::int64_t batch, depth, rows, cols, width, pitch;
    guarded_buffer memory;

    static std::int64_t legal_width(std::int64_t cols, dtype t) {
        const std::int64_t unit = std::max(1, 4 / size_of(t));
        return std::max<std::int64_t>(64 / size_of(t), (cols + unit - 1) / unit * unit);
    }
    static std::int64_t legal_pitch(std::int64_t cols, dtype t) {
        const std::int64_t line = 64 / size_of(t);
        return (legal_width(cols, t) + line - 1) / line * line;
    }
    static std::uint64_t bytes(std::int64_t batch, std::int64_t rows, std::int64_t cols, dtype t) { return matrix_bytes(batch * rows, legal_pitch(cols, t), t); }

    matrix(const device& where, dtype t, std::int64_t b, std::int64_t d, std::int64_t r, std::int64_t c)
        : type(t), batch(b), depth(d), rows(r), cols(c), width(legal_width(c, t)), pitch(legal_pitch(c, t)),
          memory(where, bytes(b * d, r, c, t), guard_bytes(where, pitch * size_of(t))) {}

    std::size_t row_bytes() const { return static_cast<std::size_t>(cols * size_of(type)); }
    std::size_t pitch_bytes() const { return static_cast<std::size_t>(pitch * size_of(type)); }

    /// `content` is packed.
    void upload(queue& on, std::span<const std::byte> content) const {
        std::vector<std::byte> image(memory.bytes());
        for (std::int64_t i = 0; i < batch * depth * rows; ++i)
            std::memcpy(image.data() + static_cast<std::size_t>(i) * pitch_bytes(), content.data() + static_cast<std::size_t>(i) * row_bytes(), row_bytes());
        memory.upload(on, image);
    }
    /// Packed; `beside` counts bytes that are not poison where nothing should be written.
    std::vector<std::byte> download(queue& on, std::uint64_t* beside) const {
        const guarded_buffer::content all = memory.download(on);
        *beside = all.guard_bytes_written;
        std::vector<std::byte> packed(row_bytes() * static_cast<std::size_t>(batch * depth * rows));
        for (std::int64_t i = 0; i < batch * depth * rows; ++i) {
            const std::byte* row = all.data.data() + static_cast<std::size_t>(i) * pitch_bytes();
            std::memcpy(packed.data() + static_cast<std::size_t>(i) * row_bytes(), row, row_bytes());
        }
        return packed;
    }
    template <class GL> GL layout() const {
        using T = typename GL::element;
        const std::int64_t plane = rows * pitch;
        return {static_cast<T*>(memory.data()), static_cast<int>(batch), static_cast<int>(depth), static_cast<int>(rows), static_cast<int>(width), static_cast<int>(pitch), plane, depth * plane};
    }
};

struct device_operands {
    matrix a, b, c;
    std::optional<matrix> sums, bias, residual;  ///< sums: where a second pass follows
};

template <class T> std::vector<std::byte> bytes_of(const T& g) {
    const auto* p = reinterpret_cast<const std::byte*>(&g);
    return {p, p + sizeof g};
}

template <class Args> void set_epilogue(Args& e, const gemm_options& o, const device_operands& d) {
    e.alpha = static_cast<float>(o.alpha);
    e.beta = static_cast<float>(o.beta);
    e.act = o.activation == "relu"   ? kernels::activation::relu
            : o.activation == "gelu" ? kernels::activation::gelu
            : o.activation == "silu" ? kernels::activation::silu
                                     : kernels::activation::none;
    if (d.bias) e.bias = d.bias->layout<decltype(e.bias)>();
    if (d.residual) e.residual = d.residual->layout<decltype(e.residual)>();
}

/// Globals depend on types and form alone.
template <dtype In, gemm_form Form> std::vector<std::byte> multiply_args(const gemm_options& o, const device_operands& d) {
    using kernel = kernels::gemm<kernels::form_policy(In, Form)>;
    using globals = typename kernel::globals;
    const matrix& to = d.sums ? *d.sums : d.c;
    globals g{d.a.layout<decltype(globals::a)>(), d.b.layout<decltype(globals::b)>(), to.layout<decltype(globals::c)>()};
    if constexpr (Form == gemm_form::atomic || Form == gemm_form::stream) g.split.parts = static_cast<int>(o.split);
    if constexpr (Form == gemm_form::epilogue) set_epilogue(g.epilogue, o, d);
    return bytes_of(g);
}

template <dtype In> std::vector<std::byte> multiply_args(const gemm_options& o, const std::string& form, const device_operands& d) {
    if (form == "atomic") return multiply_args<In, gemm_form::atomic>(o, d);
    if (form == "stream") return multiply_args<In, gemm_form::stream>(o, d);
    if constexpr (In == dtype::bf16)
        if (form == "epilogue") return multiply_args<In, gemm_form::epilogue>(o, d);
    return multiply_args<In, gemm_form::sums>(o, d);
}

template <dtype Sum, dtype Out> std::vector<std::byte> reduce_args(const gemm_options& o, const device_operands& d) {
    using kernel = kernels::reduce_planes<kernels::reduce_policy{.sum = Sum, .out = Out}>;
    using globals = typename kernel::globals;
    globals g{d.sums->layout<decltype(globals::planes)>(), d.c.layout<decltype(globals::c)>()};
    if constexpr (!kernel::exact) set_epilogue(g.epilogue, o, d);
    return bytes_of(g);
}

std::vector<launch_step> make_steps(const device& where, const gemm_options& o, dtype type, const device_operands& d) {
    const std::string form = o.form(type);
    std::vector<launch_step> steps;
    steps.push_back({&kernel_for(where, gemm_form_kernel(form, type, o.layout)), type == dtype::i8     ? multiply_args<dtype::i8>(o, form, d)
                                                                                : type == dtype::f16  ? multiply_args<dtype::f16>(o, form, d)
                                                                                : type == dtype::tf32 ? multiply_args<dtype::tf32>(o, form, d)
                                                                                                      : multiply_args<dtype::bf16>(o, form, d)});
    if (d.sums)
        steps.push_back({&kernel_for(where, fmt::format("gemm_reduce_{}", name_of(o.out_type))), o.out_type == dtype::i32   ? reduce_args<dtype::i32, dtype::i32>(o, d)
                                                                                                : o.out_type == dtype::f16  ? reduce_args<dtype::f32, dtype::f16>(o, d)
                                                                                                : o.out_type == dtype::bf16 ? reduce_args<dtype::f32, dtype::bf16>(o, d)
                                                                                                                            : reduce_args<dtype::f32, dtype::f32>(o, d)});
    return steps;
}

}  // namespace

run_outcome run_general_gemm(const run_request& request, const gemm_options& o, dtype type, const gemm_sizes& s, double scale) {
    const device& where = request.where;
    const dtype sum_type = accumulator_of(type);
    const std::string form = o.form(type);
    const bool staged = o.second_pass(type);
    const std::int64_t planes = form == "sums" ? o.split : 1;
    const std::int64_t a_rows = o.a_transposed() ? s.k : s.m, a_cols = o.a_transposed() ? s.m : s.k, b_rows = o.b_transposed() ? s.n : s.k, b_cols = o.b_transposed() ? s.k : s.n;
    // A generous sum: images on the host beside the tensors.
    const std::uint64_t in_bytes = saturating_sum({matrix::bytes(o.batch, a_rows, a_cols, type), matrix::bytes(o.batch, b_rows, b_cols, type)}),
                        out_bytes = matrix::bytes(o.batch, s.m, s.n, o.out_type), plane_bytes = staged ? matrix::bytes(o.batch * planes, s.m, s.n, sum_type) : 0;
    require_memory(where, saturating_sum({in_bytes, in_bytes, in_bytes, out_bytes, out_bytes, out_bytes, out_bytes, plane_bytes}), fmt::format("gemm {} x {} x {}", s.m, s.n, s.k));

    const auto data = [&](dtype t, std::int64_t count, std::uint64_t stream, double size) { return random_operand(t, static_cast<std::size_t>(count), request.seed, stream, size); };
    const auto a = data(type, o.batch * s.m * s.k, 0, scale), b = data(type, o.batch * s.k * s.n, 1, scale);
    std::vector<std::byte> old, bias, residual;
    if (o.beta != 0) old = data(o.out_type, o.batch * s.m * s.n, 2, scale);
    if (o.bias) bias = data(o.out_type, s.n, 3, scale);
    if (o.residual) residual = data(o.out_type, o.batch * s.m * s.n, 4, scale);

    queue on(where);
    device_operands d{{where, type, o.batch, 1, a_rows, a_cols}, {where, type, o.batch, 1, b_rows, b_cols}, {where, o.out_type, o.batch, 1, s.m, s.n}, {}, {}, {}};
    d.a.upload(on, a);
    d.b.upload(on, b);
    if (staged) d.sums.emplace(where, sum_type, o.batch, planes, s.m, s.n);
    if (o.bias) d.bias.emplace(where, o.out_type, 1, 1, 1, s.n), d.bias->upload(on, bias);
    if (o.residual) d.residual.emplace(where, o.out_type, o.batch, 1, s.m, s.n), d.residual->upload(on, residual);

    run_outcome result;
    result.policy = "default";
    result.type = type == dtype::tf32 ? "tf32" : name_of(type);
    result.shape = {{"m", s.m}, {"n", s.n}, {"k", s.k}};
    result.shape_text = fmt::format("{}{} x {} x {} {}", o.batch > 1 ? fmt::format("{} of ", o.batch) : "", s.m, s.n, s.k, o.layout);
    result.work = 2.0 * static_cast<double>(o.batch) * static_cast<double>(s.m) * static_cast<double>(s.n) * static_cast<double>(s.k);
    for (const matrix* x : {&d.a, &d.b, &d.c})
        if (x->width != x->cols && result.notes.empty()) result.notes.push_back("rows were lengthened with zeros to what 2-D blocks allow: at least 64 bytes, a multiple of 4");
    if (form == "atomic" || form == "stream") result.notes.push_back("the sums start from zeros; clearing them is not in the time");

    const std::vector<launch_step> steps = make_steps(where, o, type, d);
    result.kernel = steps.front().kernel->name;
    result.runs = run_repeatedly(on, steps, request.repeat, [&] {
        const bool adds = form == "atomic" || form == "stream";
        const matrix& sums = d.sums ? *d.sums : d.c;
        d.c.memory.poison(on);
        if (d.sums) d.sums->memory.poison(on);
        on.wait();
        if (adds) sums.upload(on, std::vector<std::byte>(sums.row_bytes() * static_cast<std::size_t>(sums.batch * sums.rows)));
        if (o.beta != 0) d.c.upload(on, old);
    });
    if (!result.runs.failure.empty()) {
        result.verdict = "the kernel did not complete";
        result.findings.push_back(result.runs.failure);
        return result;
    }
    std::uint64_t beside = 0, beside_sums = 0;
    const auto c = d.c.download(on, &beside);
    if (d.sums) d.sums->download(on, &beside_sums);
    gemm_problem problem{s.m, s.n, s.k, type, o.out_type, a, b, c, o.batch, o.a_transposed(), o.b_transposed(), {}};
    problem.epilogue = {o.alpha, o.beta, old, bias, residual,
                        o.activation == "relu"   ? gemm_epilogue::function::relu
                        : o.activation == "gelu" ? gemm_epilogue::function::gelu
                        : o.activation == "silu" ? gemm_epilogue::function::silu
                                                 : gemm_epilogue::function::none};
    judge(result, compare_gemm(problem), beside + beside_sums);
    return result;
}

}  // namespace kittens::tool
