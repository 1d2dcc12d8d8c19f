// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

constexpr const char* ways[] = {"copy", "load", "store", "shared", "vector"};

void convert_type(context& c, dtype from, dtype to, int way) {
    tensor& in = c.input(from, 64, 64);
    tensor& out = c.output(to, 64, 64);
    fill_for_conversion(in, to, c.seed());
    globals g = launch_of(2, 2, 1);
    g.number[0] = way;
    c.run(fmt::format("grid_conversion_{}_{}", name_of(from), name_of(to)), g, {&in, &out});
    expect_bits("conversion", out, [&](int i, int j) { return from == to ? in.bits(i, j) : nearest(to, in.value(i, j)); });
}

const family conversions("type-conversion", [](std::vector<grid_case>& to) {
    constexpr dtype types[] = {dtype::f32, dtype::bf16, dtype::f16, dtype::tf32, dtype::i8, dtype::u8, dtype::i32, dtype::e4m3, dtype::e5m2};
    for (const dtype a : types)
        for (const dtype b : types)
            for (int way = 0; way < 5; ++way)
                add(to, "type-conversion", fmt::format("{}/{}-{}", ways[way], name_of(a), name_of(b)), false, [=](context& c) { convert_type(c, a, b, way); });
});

}  // namespace
}  // namespace grid
