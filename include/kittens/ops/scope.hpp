// SPDX-License-Identifier: Apache-2.0
// Names the tile operation that is running, for the emulator's reports. Costs nothing on other targets.
#pragma once

#include <kittens/base/shape.hpp>
#include <kittens/base/target.hpp>
#include <kittens/tile/rt.hpp>
#include <kittens/tile/st.hpp>

#if defined(KITTENS_TARGET_EMULATED)
#include <kittens/target/xe/isa.hpp>
#endif

namespace kittens::inline KITTENS_NS::lower {

#if defined(KITTENS_TARGET_EMULATED)

namespace detail {

/// A short text put together while compiling.
struct label {
    char text[64] = {};
    int length = 0;
    constexpr label& operator<<(const char* s) {
        while (*s && length < 63) text[length++] = *s++;
        return *this;
    }
    constexpr label& operator<<(int n) {
        char digits[12] = {};
        int i = 11;
        for (unsigned v = unsigned(n < 0 ? -n : n); v || i == 11; v /= 10) digits[--i] = char('0' + v % 10);
        if (n < 0) digits[--i] = '-';
        return *this << digits + i;
    }
};

template <class T> constexpr label make_label() {
    label s;
    if constexpr (ducks::rt::all<T>)
        s << "rt<" << name_of(dtype_of<typename T::element>()) << ", " << T::rows << ", " << T::cols
          << (T::tile_layout == layout::row ? ", row, " : ", col, ") << T::base.rows << "x" << T::base.cols << ">";
    else if constexpr (ducks::rv::all<T>) s << "rv<" << name_of(dtype_of<typename T::element>()) << ", " << T::length << ">";
    else if constexpr (ducks::st::all<T>) s << "st<" << name_of(dtype_of<typename T::element>()) << ", " << T::rows << ", " << T::cols << ">";
    else if constexpr (ducks::sv::all<T>) s << "sv<" << name_of(dtype_of<typename T::element>()) << ", " << T::length << ">";
    return s;
}
template <class T> inline constexpr label label_of = make_label<T>();

}  // namespace detail

/// Open one at the start of a tile operation on `Tile`.
template <class Tile>
struct operation : isa::operation_scope {
    KITTENS_INLINE explicit operation(const char* name) : operation_scope(name, detail::label_of<Tile>.text) {}
    KITTENS_INLINE operation(const char* name, const coord<Tile>& at) : operation_scope(name, detail::label_of<Tile>.text, at.b, at.d, at.r, at.c) {}
};

#else

template <class Tile>
struct operation {
    KITTENS_INLINE explicit operation(const char*) {}
    KITTENS_INLINE operation(const char*, const coord<Tile>&) {}
};

#endif

}  // namespace kittens::inline KITTENS_NS::lower
