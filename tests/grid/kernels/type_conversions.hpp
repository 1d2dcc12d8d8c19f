// SPDX-License-Identifier: Apache-2.0
// Conversions between every two element types: in registers, and on the way from and to memory.
#pragma once

#include "kernel.hpp"

namespace grid::inline KITTENS_NS {

/// matrix 1 = matrix 0 as To. Number 0: 0 copy between tiles, 1 a converting load, 2 a converting store, 3 through SLM, 4 a vector.
template <class From, class To>
struct type_conversion : kernel {
    using from_t = rt<From, 32, 32>;
    using to_t = rt<To, 32, 32>;
    static constexpr int slm_bytes = slm_bytes_for<st<From, 32, 32>>;
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        const auto in = matrix<const From>(g, 0);
        const auto out = matrix<To>(g, 1);
        const int r = sg.group(1), c = sg.group(0);
        from_t from;
        to_t to;
        switch (g.number[0]) {
            case 0:
                load(from, in, coord<from_t>{r, c});
                copy(to, from);
                store(out, to, coord<to_t>{r, c});
                break;
            case 1:
                load(to, in, coord<to_t>{r, c});
                store(out, to, coord<to_t>{r, c});
                break;
            case 2:
                load(from, in, coord<from_t>{r, c});
                store(out, from, coord<from_t>{r, c});
                break;
            case 3: {
                const auto s = shared_allocator(sg).template allocate<st<From, 32, 32>>();
                load(s, in, coord<st<From, 32, 32>>{r, c});
                load(to, s);
                store(out, to, coord<to_t>{r, c});
                break;
            }
            default:
                for (int i = 0; i < 32; ++i) {
                    rv<From, 32> v;
                    rv<To, 32> w;
                    load(v, in, coord<rv<From, 32>>{r * 32 + i, c});
                    copy(w, v);
                    store(out, w, coord<rv<To, 32>>{r * 32 + i, c});
                }
        }
    }
#endif
};

}  // namespace grid::inline KITTENS_NS

#define GRID_CONVERSION(FROM, TO) KITTENS_KERNEL(grid_conversion_##FROM##_##TO, grid::type_conversion<grid::FROM, grid::TO>)
#define GRID_CONVERSIONS(TO)                                                                                                   \
    GRID_CONVERSION(fp32, TO) GRID_CONVERSION(bf16, TO) GRID_CONVERSION(fp16, TO) GRID_CONVERSION(tf32, TO) GRID_CONVERSION(int8, TO) \
    GRID_CONVERSION(uint8, TO) GRID_CONVERSION(int32, TO) GRID_CONVERSION(fp8e4m3, TO) GRID_CONVERSION(fp8e5m2, TO)
