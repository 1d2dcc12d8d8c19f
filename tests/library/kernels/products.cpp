// SPDX-License-Identifier: Apache-2.0
// Kernels that run the instructions of kittens::isa on whatever memory they are given and write the registers out.
#include <kittens/kittens.hpp>

#include "library/instructions.hpp"

namespace library_tests::inline KITTENS_NS {

#if KITTENS_XE_LOWERING
namespace isa = kittens::isa;
namespace model = kittens::model;

// Writes a lane's register array, 16 lanes side by side.
template <class T> KITTENS_INLINE void put(KITTENS_GLOBAL int*& out, const T& v) {
    constexpr int words = (int)(sizeof(T) + 3) / 4;
    int w[words] = {};
    __builtin_memcpy(w, &v, sizeof v);
    for (int i = 0; i < words; ++i) isa::store_global(out + i * 16 + isa::lane(), w[i]);
    out += words * 16;
}

template <isa::dpas_kind Kind, int M> KITTENS_INLINE void run_product(KITTENS_GLOBAL int*& out,
                                                                      const product_globals& g) {
    // The operands' bits are taken as they are; the test makes them finite.
    isa::a_operand<Kind, M> a;
    isa::b_operand<Kind> b;
    isa::accumulator<Kind, M> c;
    int raw[8];
    for (int i = 0; i < 8; ++i) raw[i] = isa::load_global(g.a + i * 16 + isa::lane());
    __builtin_memcpy(&a, raw, sizeof a);
    for (int i = 0; i < 8; ++i) raw[i] = isa::load_global(g.b + i * 16 + isa::lane());
    __builtin_memcpy(&b, raw, sizeof b);
    for (int i = 0; i < 8; ++i) raw[i] = isa::load_global(g.c + i * 16 + isa::lane());
    __builtin_memcpy(&c, raw, sizeof c);
    put(out, isa::dpas<Kind, M>(a, b, c));
}
#endif

struct products {
    using globals = product_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        KITTENS_GLOBAL int* out = g.out;
        using enum isa::dpas_kind;
        run_product<bf16, 8>(out, g);
        run_product<bf16, 4>(out, g);
        run_product<bf16, 1>(out, g);
        run_product<bf16_bf16, 8>(out, g);
        run_product<s8_s8, 8>(out, g);
        run_product<s8_u8, 8>(out, g);
        run_product<u8_s8, 2>(out, g);
        run_product<u8_u8, 1>(out, g);
        run_product<s4_s4, 8>(out, g);
        run_product<u4_s4, 8>(out, g);
    }
#endif
};

// Kinds whose operands cannot share the bits of the others: the test fills them for each call.
struct half_products {
    using globals = product_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        KITTENS_GLOBAL int* out = g.out;
        run_product<isa::dpas_kind::f16, 8>(out, g);
        run_product<isa::dpas_kind::f16, 2>(out, g);
    }
#endif
};
struct half_half_products {
    using globals = product_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        KITTENS_GLOBAL int* out = g.out;
        run_product<isa::dpas_kind::f16_f16, 8>(out, g);
    }
#endif
};
struct tf32_products {
    using globals = product_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        KITTENS_GLOBAL int* out = g.out;
        run_product<isa::dpas_kind::tf32, 8>(out, g);
        run_product<isa::dpas_kind::tf32, 4>(out, g);
        run_product<isa::dpas_kind::tf32, 1>(out, g);
    }
#endif
};
// Every bit pattern but the NaNs' is a number in these.
struct small_float_products {
    using globals = product_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        KITTENS_GLOBAL int* out = g.out;
        run_product<isa::dpas_kind::e4m3_e4m3, 8>(out, g);
        run_product<isa::dpas_kind::e4m3_e5m2, 8>(out, g);
        run_product<isa::dpas_kind::e5m2_e5m2, 2>(out, g);
        run_product<isa::dpas_kind::e2m1, 8>(out, g);
    }
#endif
};

}  // namespace library_tests::inline KITTENS_NS

KITTENS_KERNEL(library_products, library_tests::products)
KITTENS_KERNEL(library_half_products, library_tests::half_products)
KITTENS_KERNEL(library_half_half_products, library_tests::half_half_products)
KITTENS_KERNEL(library_tf32_products, library_tests::tf32_products)
KITTENS_KERNEL(library_small_float_products, library_tests::small_float_products)
