// SPDX-License-Identifier: Apache-2.0
//
// Per-lane vector types of the SPIR-V builtins. GCC's vector_size spelling is used because clang (host and spirv64) and
// g++ accept it and mangle it the way the SPIR-V backend expects (Dv8_f, ...).
#pragma once

#ifndef KITTENS_GLOBAL
#if defined(__SPIRV__) || defined(__SPIR__)
#define KITTENS_GLOBAL __attribute__((opencl_global))
#else
#define KITTENS_GLOBAL
#endif
#endif
#ifndef KITTENS_LOCAL
#if defined(__SPIRV__) || defined(__SPIR__)
#define KITTENS_LOCAL __attribute__((opencl_local))
#else
#define KITTENS_LOCAL
#endif
#endif
// In SYCL mode an undecorated pointer is generic, while the block instructions want private memory.
#ifndef KITTENS_PRIVATE
#if defined(__SYCL_DEVICE_ONLY__)
#define KITTENS_PRIVATE __attribute__((opencl_private))
#else
#define KITTENS_PRIVATE
#endif
#endif

namespace kittens::xe_vec {

using half = _Float16;

typedef signed char char2 __attribute__((vector_size(2)));
typedef signed char char4 __attribute__((vector_size(4)));
typedef signed char char8 __attribute__((vector_size(8)));
typedef signed char char16 __attribute__((vector_size(16)));
typedef short short2 __attribute__((vector_size(4)));
typedef short short4 __attribute__((vector_size(8)));
typedef short short8 __attribute__((vector_size(16)));
typedef short short16 __attribute__((vector_size(32)));
typedef unsigned short ushort2 __attribute__((vector_size(4)));
typedef unsigned short ushort4 __attribute__((vector_size(8)));
typedef unsigned short ushort8 __attribute__((vector_size(16)));
typedef unsigned short ushort16 __attribute__((vector_size(32)));
typedef int int2 __attribute__((vector_size(8)));
typedef int int4 __attribute__((vector_size(16)));
typedef int int8 __attribute__((vector_size(32)));
typedef int int16 __attribute__((vector_size(64)));
typedef unsigned uint2 __attribute__((vector_size(8)));
typedef unsigned uint4 __attribute__((vector_size(16)));
typedef unsigned uint8 __attribute__((vector_size(32)));
typedef unsigned uint16 __attribute__((vector_size(64)));
typedef half half2 __attribute__((vector_size(4)));
typedef half half4 __attribute__((vector_size(8)));
typedef half half8 __attribute__((vector_size(16)));
typedef half half16 __attribute__((vector_size(32)));
typedef float float2 __attribute__((vector_size(8)));
typedef float float4 __attribute__((vector_size(16)));
typedef float float8 __attribute__((vector_size(32)));
typedef float float16 __attribute__((vector_size(64)));

namespace detail {
template <class T, int N> struct vector_of {
    typedef T type __attribute__((vector_size(sizeof(T) * N)));
};
template <class T> struct vector_of<T, 1> {
    using type = T;
};
}  // namespace detail

#if defined(KITTENS_XE_SOFTWARE)
namespace detail {
/// What the software form has for a vector: an array, component by component. An OpenCL CPU device makes a vector of a value's
/// 16 lanes; where the value is itself a vector, it works on each lane's apart and needs many times the code.
template <class T, int N> struct array_of {
    T component[N];
    T& operator[](int i) { return component[i]; }
    const T& operator[](int i) const { return component[i]; }
    template <class F> array_of each(F f) const {
        array_of r;
#pragma clang loop unroll(disable)
        for (int i = 0; i < N; ++i) r.component[i] = f(component[i], i);
        return r;
    }
    array_of operator<<(int n) const {
        return each([=](T x, int) { return x << n; });
    }
    array_of operator>>(int n) const {
        return each([=](T x, int) { return x >> n; });
    }
    array_of operator&(T y) const {
        return each([=](T x, int) { return x & y; });
    }
    array_of operator|(const array_of& y) const {
        return each([&](T x, int i) { return x | y.component[i]; });
    }
};
template <class T, int N> struct register_of {
    using type = array_of<T, N>;
};
template <class T> struct register_of<T, 1> {
    using type = T;
};
}  // namespace detail

template <class T, int N> using vec = typename detail::register_of<T, N>::type;
#else
/// N components of T for one lane; the scalar itself for N = 1, as the builtins want it.
template <class T, int N> using vec = typename detail::vector_of<T, N>::type;
#endif

}  // namespace kittens::xe_vec
