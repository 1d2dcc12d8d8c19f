// SPDX-License-Identifier: Apache-2.0
// KITTENS_KERNEL: makes a compiled kernel known to the runtime, on whichever target the file is compiled for.
//
// A kernel is a default-constructible type with
//   struct globals                                   trivially copyable; what the launcher passes
//   static launch_shape geometry(const globals&)     host: the grid
//   static constexpr kernel_traits traits            optional
//   static constexpr int slm_bytes                   optional: shared local memory per workgroup
//   void operator()(const globals&, subgroup) const  the algorithm
#pragma once

#include <kittens/base/launch.hpp>
#include <kittens/base/target.hpp>
#include <kittens/ops/sync.hpp>

#include <type_traits>

namespace kittens::inline KITTENS_NS::kernel_detail {

template <class K> constexpr int slm_bytes_of() {
    if constexpr (requires { K::slm_bytes; }) return K::slm_bytes;
    else return 0;
}
template <class K> constexpr kernel_traits traits_of() {
    if constexpr (requires { K::traits; }) return K::traits;
    else return {};
}

#if KITTENS_DEVICE_PASS
/// The workgroup's shared local memory, or nullptr for a kernel that has none.
template <class K> KITTENS_INLINE KITTENS_LOCAL char* slm_of() {
    if constexpr (slm_bytes_of<K>() > 0) return isa::slm<slm_bytes_of<K>(), K>();
    else return nullptr;
}
#endif

#if !KITTENS_DEVICE_PASS
template <class K> launch_shape geometry(const void* args) {
    launch_shape s = K::geometry(*static_cast<const typename K::globals*>(args));
    s.slm_bytes = slm_bytes_of<K>();
    return s;
}

#if KITTENS_HAS_TILE_OPS
template <class K> void entry(const void* args, void* context) {
    const auto& g = *static_cast<const typename K::globals*>(args);
#if defined(KITTENS_TARGET_CPU)
    run_subgroup(context, [&](const subgroup& sg) { K{}(g, sg); });
#else
    K{}(g, subgroup{static_cast<char*>(context)});
#endif
}
#endif

struct registration {
    registration(const char* name, launch_shape (*geometry)(const void*), kernel_entry entry, std::size_t bytes, kernel_traits traits) {
#if defined(KITTENS_TARGET_CPU)
#define KITTENS_STRINGIZE_(X) #X
#define KITTENS_STRINGIZE(X) KITTENS_STRINGIZE_(X)
        register_kernel({name, "cpu", KITTENS_STRINGIZE(KITTENS_CPU_ISA), entry, geometry, bytes, traits, nullptr});
#elif defined(KITTENS_TARGET_EMULATED)
        register_kernel({name, "emulated", "", entry, geometry, bytes, traits, nullptr});
#elif defined(KITTENS_TARGET_XE) && defined(KITTENS_MODULE)
        register_kernel({name, "xe", "", entry, geometry, bytes, traits, KITTENS_MODULE});
#else
        (void)name, (void)geometry, (void)entry, (void)bytes, (void)traits;
#endif
    }
};
#endif

}  // namespace kittens::inline KITTENS_NS::kernel_detail

#if KITTENS_DEVICE_PASS
/// KITTENS_KERNEL(name, type): `name` is an identifier, unique in the program.
#define KITTENS_KERNEL(NAME, ...) \
    extern "C" __attribute__((device_kernel)) void NAME(typename __VA_ARGS__::globals g) {                         \
        __VA_ARGS__{}(g, ::kittens::subgroup{::kittens::kernel_detail::slm_of<__VA_ARGS__>()});                           \
    }
#elif defined(KITTENS_TARGET_XE) && !defined(KITTENS_MODULE)
// A SYCL program that compiles its kernels in place has no use for this (docs/sycl.md).
#define KITTENS_KERNEL(NAME, ...)                                                                                  \
    static_assert(sizeof(typename __VA_ARGS__::globals) == 0,                                                      \
                  "KITTENS_KERNEL: the host pass of the xe target needs KITTENS_MODULE, the name of the SPIR-V "   \
                  "module (kittens_add_kernels sets it)");
#elif KITTENS_HAS_TILE_OPS
#define KITTENS_KERNEL(NAME, ...)                                                                                  \
    static const ::kittens::kernel_detail::registration NAME##_registration(                                              \
        #NAME, &::kittens::kernel_detail::geometry<__VA_ARGS__>, &::kittens::kernel_detail::entry<__VA_ARGS__>,                  \
        sizeof(typename __VA_ARGS__::globals), ::kittens::kernel_detail::traits_of<__VA_ARGS__>());
#else
#define KITTENS_KERNEL(NAME, ...)                                                                                  \
    static const ::kittens::kernel_detail::registration NAME##_registration(                                              \
        #NAME, &::kittens::kernel_detail::geometry<__VA_ARGS__>, nullptr, sizeof(typename __VA_ARGS__::globals),          \
        ::kittens::kernel_detail::traits_of<__VA_ARGS__>());
#endif
