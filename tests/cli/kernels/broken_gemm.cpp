// SPDX-License-Identifier: Apache-2.0
// GEMMs that do one thing wrong each, to see that `kittens run` finds it.
#include <gemm/gemm.hpp>
#include <gemm/policies.hpp>

#if defined(KITTENS_TARGET_CPU)
#include <stdexcept>
#endif

namespace broken::inline KITTENS_NS {

using namespace kittens;

using right = kernels::gemm<kernels::default_policy(dtype::bf16)>;

struct gemm_base {
    using globals = right::globals;
    static constexpr kernel_traits traits = right::traits;
    static launch_shape geometry(const globals& g) { return right::geometry(g); }
};

#if KITTENS_HAS_TILE_OPS
template <class Layout> Layout with_rows(Layout l, int rows) {
    l.row_count = ::kittens::detail::dimension<-1, 2>(rows);
    return l;
}
template <class Layout> Layout with_cols(Layout l, int cols) {
    l.col_count = ::kittens::detail::dimension<-1, 3>(cols);
    return l;
}
#endif

/// Leaves out the last 32 of K.
struct short_sum : gemm_base {
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        right{}(globals{with_cols(g.a, g.a.cols() - 32), g.b, g.c}, sg);
    }
#endif
};

/// Leaves out the last row.
struct unwritten : gemm_base {
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        right{}(globals{g.a, g.b, with_rows(g.c, g.c.rows() - 1)}, sg);
    }
#endif
};

/// Writes one row too many.
struct outside : gemm_base {
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        right{}(globals{g.a, g.b, with_rows(g.c, g.c.rows() + 1)}, sg);
    }
#endif
};

struct throws : gemm_base {
#if KITTENS_HAS_TILE_OPS
    KITTENS_INLINE void operator()(const globals& g, const subgroup& sg) const {
        right{}(g, sg);
#if defined(KITTENS_TARGET_CPU)
        throw std::runtime_error("no luck");
#endif
    }
#endif
};

}  // namespace broken::inline KITTENS_NS

KITTENS_KERNEL(gemm_bf16_short, broken::short_sum)
KITTENS_KERNEL(gemm_bf16_unwritten, broken::unwritten)
KITTENS_KERNEL(gemm_bf16_outside, broken::outside)
KITTENS_KERNEL(gemm_bf16_throws, broken::throws)
