// SPDX-License-Identifier: Apache-2.0
#include "ops/operation_kernels.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace kittens::tool {

namespace {

// What the bodies below are written in. A col tile cannot be stored: the kernels for it end with a change of layout, which
// moves nothing between lanes for 16-bit types.
constexpr const char* prologue = R"(#include <kittens/kittens.hpp>

namespace kernels::inline KITTENS_NS {

using namespace kittens;

template <class A, class B, class C, int Columns = -1>
struct one_operation {
    struct globals {
        gl<const A, -1, -1, -1, Columns> a;
        gl<const B, -1, -1, -1, Columns> b;
        gl<C, -1, -1, -1, Columns> c;
    };
    static constexpr kernel_traits traits{.grf = 256};
    static launch_shape geometry(const globals&) { return {}; }
};

)";

constexpr operation_kernel all[] = {
    // ---- movement: the messages are the operation --------------------------------------------------------------------------
    {"load_bf16", "load", "rt<bf16, 32, 32, row>", "bf16, bf16, bf16", "rt_bf<32, 32> x; load(x, g.a, {0, 0}); store(g.c, x, {0, 0});"},
    {"load_fp16", "load", "rt<half, 32, 32, row>", "half, half, half", "rt_hf<32, 32> x; load(x, g.a, {0, 0}); store(g.c, x, {0, 0});"},
    {"load_fp32", "load", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); store(g.c, x, {0, 0});"},
    {"load_int8", "load", "rt<int8, 32, 32, row>", "int8, int8, int8", "rt_i8<32, 32> x; load(x, g.a, {0, 0}); store(g.c, x, {0, 0});"},
    {"load_int32", "load", "rt<int32, 32, 32, row>", "int32, int32, int32", "rt_i32<32, 32> x; load(x, g.a, {0, 0}); store(g.c, x, {0, 0});"},
    {"load_bf16_to_fp32", "load", "rt<float, 32, 32, row> from bf16", "bf16, bf16, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); store(g.c, x, {0, 0});"},
    {"load_transform_bf16", "load_transform", "rt<bf16, 32, 32, col>", "bf16, bf16, bf16",
     "rt_bf<32, 32, col> x; rt_bf<32, 32> y; load_transform(x, g.a, {0, 0}); swap_layout(y, x); store(g.c, y, {0, 0});"},
    {"load_transform_fp16", "load_transform", "rt<half, 32, 32, col>", "half, half, half",
     "rt_hf<32, 32, col> x; rt_hf<32, 32> y; load_transform(x, g.a, {0, 0}); swap_layout(y, x); store(g.c, y, {0, 0});"},
    {"load_transform_int8", "load_transform", "rt<int8, 32, 32, col>, stored by a product", "int8, int8, int32",
     "rt_i8<32, 32> a; rt_i8<32, 32, col> x; rt_i32<32, 32> y; load(a, g.b, {0, 0}); load_transform(x, g.a, {0, 0}); zero(y); mma_AB(y, a, x, y); store(g.c, y, {0, 0});"},
    {"load_transpose_bf16", "load_transpose", "rt<bf16, 32, 32, col>", "bf16, bf16, bf16",
     "rt_bf<32, 32, col> x; rt_bf<32, 32> y; load_transpose(x, g.a, {0, 0}); swap_layout(y, x); store(g.c, y, {0, 0});"},
    {"load_transpose_fp16", "load_transpose", "rt<half, 32, 32, col>", "half, half, half",
     "rt_hf<32, 32, col> x; rt_hf<32, 32> y; load_transpose(x, g.a, {0, 0}); swap_layout(y, x); store(g.c, y, {0, 0});"},
    {"load_transpose_fp32", "load_transpose", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; load_transpose(x, g.a, {0, 0}); store(g.c, x, {0, 0});"},
    {"store_fp32_to_bf16", "store", "rt<float, 32, 32, row> to bf16", "float, float, bf16", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); store(g.c, x, {0, 0});"},
    {"store_fp32_to_fp16", "store", "rt<float, 32, 32, row> to half", "float, float, half", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); store(g.c, x, {0, 0});"},
    {"store_add_fp32", "store_add", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); store_add(g.c, x, {0, 0});"},
    {"load_part_bf16", "load_part", "rt<bf16, 32, 32, row>, part of 32 x 128", "bf16, bf16, bf16", "rt_bf<32, 32> x; load_part<4>(x, g.a, {0, 0}, 2); store_part<4>(g.c, x, {0, 0}, 2);"},
    {"prefetch_load_bf16", "prefetch_load", "rt<bf16, 32, 32, row>", "bf16, bf16, bf16", "rt_bf<32, 32> x; prefetch_load(x, g.a, {0, 0});"},
    {"prefetch_load_coop_bf16", "prefetch_load_coop", "8 x 32 of rt<bf16, 32, 32, row>", "bf16, bf16, bf16", "rt_bf<32, 32> x; prefetch_load_coop(x, g.a, {0, 0}, {8, 0});"},
    {"load_vec_fp32", "load", "rv<float, 32>", "float, float, float", "rv<float, 32> v; load(v, g.a, {0, 0}); store(g.c, v, {0, 0});"},
    {"load_vec_bf16", "load", "rv<bf16, 32>", "bf16, bf16, bf16", "rv<bf16, 32> v; load(v, g.a, {0, 0}); store(g.c, v, {0, 0});"},
    {"load_wide_bf16", "load_wide", "rv<bf16, 128, wide>, columns known when compiling", "bf16, bf16, bf16, 1024", "rv<bf16, 128, wide> v; load_wide(v, g.a, {0, 0}); store_wide(g.c, v, {0, 0});"},
    {"load_wide_fp32", "load_wide", "rv<float, 128, wide>, columns known when compiling", "float, float, float, 1024", "rv<float, 128, wide> v; load_wide(v, g.a, {0, 0}); store_wide(g.c, v, {0, 0});"},
    {"load_wide_fp16", "load_wide", "rv<half, 128, wide>, columns known when compiling", "half, half, half, 1024", "rv<half, 128, wide> v; load_wide(v, g.a, {0, 0}); store_wide(g.c, v, {0, 0});"},

    {"load_wide_bf16_any", "load_wide", "rv<bf16, 128, wide>, any number of columns", "bf16, bf16, bf16", "rv<bf16, 128, wide> v; load_wide(v, g.a, {0, 0}); store_wide(g.c, v, {0, 0});"},

    // ---- shared memory ------------------------------------------------------------------------------------------------------
    {"load_shared_bf16", "load (shared)", "st<bf16, 32, 32>", "bf16, bf16, bf16",
     "shared_allocator slm(sg); auto s = slm.template allocate<st_bf<32, 32>>(); load(s, g.a, {0, 0}); store(g.c, s, {0, 0});", nullptr, 2048},
    {"rt_from_shared_bf16", "load (register from shared)", "rt<bf16, 32, 32, row>", "bf16, bf16, bf16",
     "shared_allocator slm(sg); auto s = slm.template allocate<st_bf<32, 32>>(); load(s, g.a, {0, 0}); sync(sg); rt_bf<32, 32> x; load(x, s); store(g.c, x, {0, 0});", nullptr, 2048},
    {"rt_from_shared_fp32", "load (register from shared)", "rt<float, 32, 32, row>", "float, float, float",
     "shared_allocator slm(sg); auto s = slm.template allocate<st_fl<32, 32>>(); load(s, g.a, {0, 0}); sync(sg); rt_fl<32, 32> x; load(x, s); store(g.c, x, {0, 0});", nullptr, 4096},
    {"rt_to_shared_bf16", "store (register to shared)", "rt<bf16, 32, 32, row>", "bf16, bf16, bf16",
     "shared_allocator slm(sg); auto s = slm.template allocate<st_bf<32, 32>>(); rt_bf<32, 32> x; load(x, g.a, {0, 0}); store(s, x); sync(sg); store(g.c, s, {0, 0});", nullptr, 2048},
    {"sync", "sync", "workgroup barrier", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); sync(sg); store(g.c, x, {0, 0});", "load_fp32"},
    {"named_sync", "sync", "named barrier of half of the workgroup", "float, float, float",
     "const named_barrier<0, 0, 4> half_of_them(sg); rt_fl<32, 32> x; load(x, g.a, {0, 0}); if (sg.id() < 4) sync(half_of_them); store(g.c, x, {0, 0});", "load_fp32"},
    {"group_sync", "sync", "named barriers of two groups of the workgroup", "float, float, float",
     "const group_barriers<4, 2> own(sg); rt_fl<32, 32> x; load(x, g.a, {0, 0}); group<4>(sg).sync(own); store(g.c, x, {0, 0});", "load_fp32"},
    {"arrive_wait", "arrive, wait", "split workgroup barrier", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); arrive(sg); wait(sg); store(g.c, x, {0, 0});", "load_fp32"},

    // ---- maps -----------------------------------------------------------------------------------------------------------------
    {"exp2_fp32", "exp2", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); exp2(x, x); store(g.c, x, {0, 0});", "load_fp32"},
    {"exp2_bf16", "exp2", "rt<bf16, 32, 32, row>", "bf16, bf16, bf16", "rt_bf<32, 32> x; load(x, g.a, {0, 0}); exp2(x, x); store(g.c, x, {0, 0});", "load_bf16"},
    {"exp_fp32", "exp", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); exp(x, x); store(g.c, x, {0, 0});", "load_fp32"},
    {"rsqrt_fp32", "rsqrt", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); rsqrt(x, x); store(g.c, x, {0, 0});", "load_fp32"},
    {"relu_fp32", "relu", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); relu(x, x); store(g.c, x, {0, 0});", "load_fp32"},
    {"gelu_fp32", "gelu", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); gelu(x, x); store(g.c, x, {0, 0});", "load_fp32"},
    {"mul_scalar_fp32", "mul", "rt<float, 32, 32, row>, scalar", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); mul(x, x, 1.5f); store(g.c, x, {0, 0});", "load_fp32"},
    {"two_tiles_fp32", "(frame)", "two tiles loaded, two stored", "float, float, float",
     "rt_fl<32, 32> x, y; load(x, g.a, {0, 0}); load(y, g.b, {0, 0}); store(g.c, x, {0, 0}); store(g.c, y, {1, 0});"},
    {"add_fp32", "add", "rt<float, 32, 32, row>", "float, float, float",
     "rt_fl<32, 32> x, y; load(x, g.a, {0, 0}); load(y, g.b, {0, 0}); add(x, x, y); store(g.c, x, {0, 0}); store(g.c, y, {1, 0});", "two_tiles_fp32"},
    {"tile_and_vec_fp32", "(frame)", "a tile and a vector, loaded and stored", "float, float, float",
     "rt_fl<32, 32> x; rv<float, 32> v; load(x, g.a, {0, 0}); load(v, g.b, {0, 0}); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});"},
    {"add_row_fp32", "add_row", "rt<float, 32, 32, row>, rv<float, 32>", "float, float, float",
     "rt_fl<32, 32> x; rv<float, 32> v; load(x, g.a, {0, 0}); load(v, g.b, {0, 0}); add_row(x, x, v); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});", "tile_and_vec_fp32"},
    {"add_col_fp32", "add_col", "rt<float, 32, 32, row>, rv<float, 32>", "float, float, float",
     "rt_fl<32, 32> x; rv<float, 32> v; load(x, g.a, {0, 0}); load(v, g.b, {0, 0}); add_col(x, x, v); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});", "tile_and_vec_fp32"},
    {"broadcast_row_fp32", "broadcast_row", "rt<float, 32, 32, row>, rv<float, 32>", "float, float, float",
     "rt_fl<32, 32> x; rv<float, 32> v; load(v, g.b, {0, 0}); broadcast_row(x, v); store(g.c, x, {0, 0});"},
    {"zero_fp32", "zero", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; zero(x); store(g.c, x, {0, 0});"},

    // ---- conversions ------------------------------------------------------------------------------------------------------------
    {"copy_fp32_bf16", "copy", "rt<bf16, 32, 32, row> from float", "float, float, bf16", "rt_fl<32, 32> x; rt_bf<32, 32> y; load(x, g.a, {0, 0}); copy(y, x); store(g.c, y, {0, 0});"},
    {"copy_fp32_fp16", "copy", "rt<half, 32, 32, row> from float", "float, float, half", "rt_fl<32, 32> x; rt_hf<32, 32> y; load(x, g.a, {0, 0}); copy(y, x); store(g.c, y, {0, 0});"},
    {"copy_bf16_fp32", "copy", "rt<float, 32, 32, row> from bf16", "bf16, bf16, float", "rt_bf<32, 32> x; rt_fl<32, 32> y; load(x, g.a, {0, 0}); copy(y, x); store(g.c, y, {0, 0});"},
    {"swap_layout_bf16", "swap_layout", "rt<bf16, 32, 32, row> to col and back", "bf16, bf16, bf16",
     "rt_bf<32, 32> x; rt_bf<32, 32, col> y; load(x, g.a, {0, 0}); swap_layout(y, x); swap_layout(x, y); store(g.c, x, {0, 0});", "load_bf16"},
    {"transpose_fp32", "transpose", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x, y; load(x, g.a, {0, 0}); transpose(y, x); store(g.c, y, {0, 0});", "load_fp32"},
    {"transpose_bf16", "transpose", "rt<bf16, 32, 32, row>", "bf16, bf16, bf16", "rt_bf<32, 32> x, y; load(x, g.a, {0, 0}); transpose(y, x); store(g.c, y, {0, 0});", "load_bf16"},

    // ---- masks --------------------------------------------------------------------------------------------------------------------
    {"make_causal_fp32", "make_causal", "rt<float, 32, 32, row>", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); make_causal(x, x, -1e30f); store(g.c, x, {0, 0});", "load_fp32"},
    {"tril_fp32", "tril", "rt<float, 32, 32, row>, diagonal of the workgroup", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); tril(x, x, sg.group(0)); store(g.c, x, {0, 0});", "load_fp32"},
    {"right_fill_fp32", "right_fill", "rt<float, 32, 32, row>, column of the workgroup", "float, float, float", "rt_fl<32, 32> x; load(x, g.a, {0, 0}); right_fill(x, x, sg.group(0)); store(g.c, x, {0, 0});", "load_fp32"},

    // ---- reductions: the tile itself is stored as well, so that frame and operation load and store alike ------------------------------
    {"tile_and_zero_fp32", "(frame)", "a tile loaded and stored, a vector of zeros stored", "float, float, float",
     "rt_fl<32, 32> x; rv<float, 32> v; load(x, g.a, {0, 0}); zero(v); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});"},
    {"row_sum_fp32", "row_sum", "rt<float, 32, 32, row>", "float, float, float",
     "rt_fl<32, 32> x; rv<float, 32> v; load(x, g.a, {0, 0}); row_sum(v, x); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});", "tile_and_zero_fp32"},
    {"row_max_fp32", "row_max", "rt<float, 32, 32, row>", "float, float, float",
     "rt_fl<32, 32> x; rv<float, 32> v; load(x, g.a, {0, 0}); row_max(v, x); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});", "tile_and_zero_fp32"},
    {"row_sum_fp32_32x64", "row_sum", "rt<float, 32, 64, row>", "float, float, float",
     "rt_fl<32, 64> x; rv<float, 32> v; load(x, g.a, {0, 0}); row_sum(v, x); store(g.c, v, {0, 0});"},
    {"tile_and_zero_bf16", "(frame)", "a tile loaded and stored, a vector of zeros stored", "bf16, bf16, bf16",
     "rt_bf<32, 32> x; rv<bf16, 32> v; load(x, g.a, {0, 0}); zero(v); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});"},
    {"row_sum_bf16", "row_sum", "rt<bf16, 32, 32, row>", "bf16, bf16, bf16",
     "rt_bf<32, 32> x; rv<bf16, 32> v; load(x, g.a, {0, 0}); row_sum(v, x); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});", "tile_and_zero_bf16"},
    {"row_max_bf16", "row_max", "rt<bf16, 32, 32, row>", "bf16, bf16, bf16",
     "rt_bf<32, 32> x; rv<bf16, 32> v; load(x, g.a, {0, 0}); row_max(v, x); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});", "tile_and_zero_bf16"},
    {"col_sum_fp32", "col_sum", "rt<float, 32, 32, row>", "float, float, float",
     "rt_fl<32, 32> x; rv<float, 32> v; load(x, g.a, {0, 0}); col_sum(v, x); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});", "tile_and_zero_fp32"},
    {"col_max_bf16", "col_max", "rt<bf16, 32, 32, row>", "bf16, bf16, bf16",
     "rt_bf<32, 32> x; rv<bf16, 32> v; load(x, g.a, {0, 0}); col_max(v, x); store(g.c, x, {0, 0}); store(g.c, v, {40, 0});", "tile_and_zero_bf16"},

    // ---- products --------------------------------------------------------------------------------------------------------------------
    {"mma_AB_bf16", "mma_AB", "32 x 32 x 32, bf16", "bf16, bf16, float",
     "rt_bf<32, 32> a; rt_bf<32, 32, col> b; rt_fl<32, 32> c; load(a, g.a, {0, 0}); load_transform(b, g.b, {0, 0}); zero(c); mma_AB(c, a, b, c); store(g.c, c, {0, 0});"},
    {"mma_AB_fp16", "mma_AB", "32 x 32 x 32, half", "half, half, float",
     "rt_hf<32, 32> a; rt_hf<32, 32, col> b; rt_fl<32, 32> c; load(a, g.a, {0, 0}); load_transform(b, g.b, {0, 0}); zero(c); mma_AB(c, a, b, c); store(g.c, c, {0, 0});"},
    {"mma_AB_tf32", "mma_AB", "32 x 32 x 32, tf32", "tf32, tf32, float",
     "rt<tf32, 32, 32> a; rt<tf32, 32, 32, col> b; rt_fl<32, 32> c; load(a, g.a, {0, 0}); load(b, g.b, {0, 0}); zero(c); mma_AB(c, a, b, c); store(g.c, c, {0, 0});"},
    {"mma_AB_int8", "mma_AB", "32 x 32 x 32, int8", "int8, int8, int32",
     "rt_i8<32, 32> a; rt_i8<32, 32, col> b; rt_i32<32, 32> c; load(a, g.a, {0, 0}); load_transform(b, g.b, {0, 0}); zero(c); mma_AB(c, a, b, c); store(g.c, c, {0, 0});"},
    {"mma_AB_uint8", "mma_AB", "32 x 32 x 32, uint8", "uint8, uint8, int32",
     "rt<uint8, 32, 32> a; rt<uint8, 32, 32, col> b; rt_i32<32, 32> c; load(a, g.a, {0, 0}); load_transform(b, g.b, {0, 0}); zero(c); mma_AB(c, a, b, c); store(g.c, c, {0, 0});"},
    {"mma_AB_e4m3", "mma_AB", "32 x 32 x 32, fp8e4m3", "fp8e4m3, fp8e4m3, float",
     "rt<fp8e4m3, 32, 32> a; rt<fp8e4m3, 32, 32, col> b; rt_fl<32, 32> c; load(a, g.a, {0, 0}); load_transform(b, g.b, {0, 0}); zero(c); mma_AB(c, a, b, c); store(g.c, c, {0, 0});", nullptr, 0, true},
    {"mma_AB_e5m2", "mma_AB", "32 x 32 x 32, fp8e5m2", "fp8e5m2, fp8e5m2, float",
     "rt<fp8e5m2, 32, 32> a; rt<fp8e5m2, 32, 32, col> b; rt_fl<32, 32> c; load(a, g.a, {0, 0}); load_transform(b, g.b, {0, 0}); zero(c); mma_AB(c, a, b, c); store(g.c, c, {0, 0});", nullptr, 0, true},
    {"mma_ABt_bf16", "mma_ABt", "32 x 32 x 32, bf16", "bf16, bf16, float",
     "rt_bf<32, 32> a, b; rt_fl<32, 32> c; load(a, g.a, {0, 0}); load(b, g.b, {0, 0}); zero(c); mma_ABt(c, a, b, c); store(g.c, c, {0, 0});"},
    {"mma_AtB_bf16", "mma_AtB", "32 x 32 x 32, bf16", "bf16, bf16, float",
     "rt_bf<32, 32, col> a, b; rt_fl<32, 32> c; load_transform(a, g.a, {0, 0}); load_transform(b, g.b, {0, 0}); zero(c); mma_AtB(c, a, b, c); store(g.c, c, {0, 0});"},
    {"mma_AtBt_bf16", "mma_AtBt", "32 x 32 x 32, bf16", "bf16, bf16, float",
     "rt_bf<32, 32, col> a; rt_bf<32, 32> b; rt_fl<32, 32> c; load_transform(a, g.a, {0, 0}); load(b, g.b, {0, 0}); zero(c); mma_AtBt(c, a, b, c); store(g.c, c, {0, 0});"},
    {"load_transpose_mma_bf16", "load_transpose", "32 x 32 x 32 product with B stored N x K", "bf16, bf16, float",
     "rt_bf<32, 32> a; rt_bf<32, 32, col> b; rt_fl<32, 32> c; load(a, g.a, {0, 0}); load_transpose(b, g.b, {0, 0}); zero(c); mma_AB(c, a, b, c); store(g.c, c, {0, 0});"},
};

}  // namespace

std::span<const operation_kernel> operation_kernels() { return all; }

std::vector<operation_kernel> operation_kernels_for(inspect::gpu device) {
    std::vector<operation_kernel> chosen;
    std::copy_if(std::begin(all), std::end(all), std::back_inserter(chosen), [&](const operation_kernel& k) {
        return (!k.cri_only || device == inspect::gpu::cri) && (!k.pvc_only || device == inspect::gpu::pvc);
    });
    return chosen;
}

std::string operation_source(std::span<const operation_kernel> kernels, inspect::gpu device) {
    // Instructions that one device alone has must be asked for.
    std::string text = device == inspect::gpu::cri ? "#define KITTENS_XE_ARCH_CRI\n" : "";
    text += prologue;
    for (const operation_kernel& k : kernels) {
        text += fmt::format("struct do_{0} : one_operation<{1}> {{\n", k.name, k.types);
        if (k.slm_bytes > 0) text += fmt::format("    static constexpr int slm_bytes = {};\n", k.slm_bytes);
        text += fmt::format("    KITTENS_INLINE void operator()([[maybe_unused]] const globals& g, [[maybe_unused]] const subgroup& sg) const {{ {} }}\n}};\n", k.body);
    }
    text += "\n}  // namespace kernels::inline KITTENS_NS\n\n";
    for (const operation_kernel& k : kernels) text += fmt::format("KITTENS_KERNEL(op_{0}, kernels::do_{0})\n", k.name);
    return text;
}

}  // namespace kittens::tool
