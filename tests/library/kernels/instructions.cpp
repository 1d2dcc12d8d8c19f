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

template <int Bytes> struct word;
template <> struct word<1> {
    using type = unsigned char;
};
template <> struct word<2> {
    using type = unsigned short;
};
template <> struct word<4> {
    using type = unsigned;
};

template <model::block_op Op, int Elem, int Width, int Height, int Count>
KITTENS_INLINE void load(KITTENS_GLOBAL int*& out, const isa::surface& s, int x, int y) {
    constexpr model::block_shape shape{Elem, Width, Height, Count};
    typename word<model::component_bytes(Op, shape)>::type v[model::components(Op, shape)];
    x = x * 4 / Elem;
    if constexpr (Op == model::block_op::load) isa::load_2d<Elem, Width, Height, Count>(s, x, y, v);
    else if constexpr (Op == model::block_op::transform) isa::load_2d_transform<Elem, Width, Height, Count>(s, x, y, v);
    else isa::load_2d_transpose<Elem, Width, Height, Count>(s, x, y, v);
    put(out, v);
}

template <isa::dpas_kind Kind, int M> KITTENS_INLINE void product(KITTENS_GLOBAL int*& out, const product_globals& g) {
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

template <int Elem, int Width, int Height> KITTENS_INLINE void store(const store_globals& g, int x, int y) {
    constexpr model::block_shape shape{Elem, Width, Height, 1};
    using component = typename word<model::component_bytes(model::block_op::store, shape)>::type;
    component v[model::components(model::block_op::store, shape)];
    for (int i = 0; i < model::components(model::block_op::store, shape); ++i)
        v[i] = (component)isa::load_global(g.values + i * 16 + isa::lane());
    isa::store_2d<Elem, Width, Height>(isa::surface{g.data, g.width_bytes, g.height, g.pitch_bytes}, x * 4 / Elem, y,
                                       v);
}
#endif

struct loads {
    using globals = load_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        const isa::surface s{g.data, g.width_bytes, g.height, g.pitch_bytes};
        KITTENS_GLOBAL int* out = g.out;
        using enum model::block_op;
        load<model::block_op::load, 1, 32, 1, 1>(out, s, g.x, g.y);
        load<model::block_op::load, 1, 32, 8, 2>(out, s, g.x, g.y);
        load<model::block_op::load, 1, 16, 16, 4>(out, s, g.x, g.y);
        load<model::block_op::load, 2, 16, 8, 1>(out, s, g.x, g.y);
        load<model::block_op::load, 2, 16, 32, 2>(out, s, g.x, g.y);
        load<model::block_op::load, 2, 32, 16, 1>(out, s, g.x, g.y);
        load<model::block_op::load, 4, 16, 8, 1>(out, s, g.x, g.y);
        load<model::block_op::load, 4, 8, 1, 2>(out, s, g.x, g.y);
        load<model::block_op::load, 4, 8, 8, 2>(out, s, g.x, g.y);
        load<transform, 1, 16, 32, 1>(out, s, g.x, g.y);
        load<transform, 1, 16, 32, 4>(out, s, g.x, g.y);
        load<transform, 2, 16, 16, 1>(out, s, g.x, g.y);
        load<transform, 2, 16, 32, 2>(out, s, g.x, g.y);
        load<transpose, 4, 8, 16, 1>(out, s, g.x, g.y);
        load<transpose, 4, 4, 16, 1>(out, s, g.x, g.y);
    }
#endif
};

struct products {
    using globals = product_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        KITTENS_GLOBAL int* out = g.out;
        using enum isa::dpas_kind;
        product<bf16, 8>(out, g);
        product<bf16, 4>(out, g);
        product<bf16, 1>(out, g);
        product<bf16_bf16, 8>(out, g);
        product<s8_s8, 8>(out, g);
        product<s8_u8, 8>(out, g);
        product<u8_s8, 2>(out, g);
        product<u8_u8, 1>(out, g);
        product<s4_s4, 8>(out, g);
        product<u4_s4, 8>(out, g);
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
        product<isa::dpas_kind::f16, 8>(out, g);
        product<isa::dpas_kind::f16, 2>(out, g);
    }
#endif
};
struct half_half_products {
    using globals = product_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        KITTENS_GLOBAL int* out = g.out;
        product<isa::dpas_kind::f16_f16, 8>(out, g);
    }
#endif
};
struct tf32_products {
    using globals = product_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        KITTENS_GLOBAL int* out = g.out;
        product<isa::dpas_kind::tf32, 8>(out, g);
        product<isa::dpas_kind::tf32, 4>(out, g);
        product<isa::dpas_kind::tf32, 1>(out, g);
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
        product<isa::dpas_kind::e4m3_e4m3, 8>(out, g);
        product<isa::dpas_kind::e4m3_e5m2, 8>(out, g);
        product<isa::dpas_kind::e5m2_e5m2, 2>(out, g);
        product<isa::dpas_kind::e2m1, 8>(out, g);
    }
#endif
};

struct stores {
    using globals = store_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        store<1, 16, 8>(g, g.x, g.y);
        store<1, 32, 4>(g, g.x, g.y + 10);
        store<2, 16, 8>(g, g.x, g.y + 20);
        store<2, 32, 2>(g, g.x, g.y + 30);
        store<4, 16, 8>(g, g.x, g.y + 40);
        store<4, 16, 1>(g, g.x, g.y + 50);
    }
#endif
};

}  // namespace library_tests::inline KITTENS_NS

KITTENS_KERNEL(library_loads, library_tests::loads)
KITTENS_KERNEL(library_products, library_tests::products)
KITTENS_KERNEL(library_half_products, library_tests::half_products)
KITTENS_KERNEL(library_half_half_products, library_tests::half_half_products)
KITTENS_KERNEL(library_tf32_products, library_tests::tf32_products)
KITTENS_KERNEL(library_small_float_products, library_tests::small_float_products)
KITTENS_KERNEL(library_stores, library_tests::stores)
