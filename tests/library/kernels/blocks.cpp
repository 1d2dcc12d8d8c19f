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
KITTENS_INLINE void run_load(KITTENS_GLOBAL int*& out, const isa::surface& s, int x, int y) {
    constexpr model::block_shape shape{Elem, Width, Height, Count};
    typename word<model::component_bytes(Op, shape)>::type v[model::components(Op, shape)];
    x = x * 4 / Elem;
    if constexpr (Op == model::block_op::load) isa::load_2d<Elem, Width, Height, Count>(s, x, y, v);
    else if constexpr (Op == model::block_op::transform) isa::load_2d_transform<Elem, Width, Height, Count>(s, x, y, v);
    else isa::load_2d_transpose<Elem, Width, Height, Count>(s, x, y, v);
    put(out, v);
}

template <int Elem, int Width, int Height> KITTENS_INLINE void run_store(const store_globals& g, int x, int y) {
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
        constexpr auto load = model::block_op::load, transform = model::block_op::transform,
                       transpose = model::block_op::transpose;
        run_load<load, 1, 32, 1, 1>(out, s, g.x, g.y);
        run_load<load, 1, 32, 8, 2>(out, s, g.x, g.y);
        run_load<load, 1, 16, 16, 4>(out, s, g.x, g.y);
        run_load<load, 2, 16, 8, 1>(out, s, g.x, g.y);
        run_load<load, 2, 16, 32, 2>(out, s, g.x, g.y);
        run_load<load, 2, 32, 16, 1>(out, s, g.x, g.y);
        run_load<load, 4, 16, 8, 1>(out, s, g.x, g.y);
        run_load<load, 4, 8, 1, 2>(out, s, g.x, g.y);
        run_load<load, 4, 8, 8, 2>(out, s, g.x, g.y);
        run_load<transform, 1, 16, 32, 1>(out, s, g.x, g.y);
        run_load<transform, 1, 16, 32, 4>(out, s, g.x, g.y);
        run_load<transform, 2, 16, 16, 1>(out, s, g.x, g.y);
        run_load<transform, 2, 16, 32, 2>(out, s, g.x, g.y);
        run_load<transpose, 4, 8, 16, 1>(out, s, g.x, g.y);
        run_load<transpose, 4, 4, 16, 1>(out, s, g.x, g.y);
    }
#endif
};

struct stores {
    using globals = store_globals;
    static kittens::launch_shape geometry(const globals&) { return {}; }
#if KITTENS_XE_LOWERING
    void operator()(const globals& g, const kittens::subgroup&) const {
        run_store<1, 16, 8>(g, g.x, g.y);
        run_store<1, 32, 4>(g, g.x, g.y + 10);
        run_store<2, 16, 8>(g, g.x, g.y + 20);
        run_store<2, 32, 2>(g, g.x, g.y + 30);
        run_store<4, 16, 8>(g, g.x, g.y + 40);
        run_store<4, 16, 1>(g, g.x, g.y + 50);
    }
#endif
};

}  // namespace library_tests::inline KITTENS_NS

KITTENS_KERNEL(library_loads, library_tests::loads)
KITTENS_KERNEL(library_stores, library_tests::stores)
