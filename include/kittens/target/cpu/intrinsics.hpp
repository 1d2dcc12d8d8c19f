// SPDX-License-Identifier: Apache-2.0
// <immintrin.h> without the false alarms that GCC 12 gives inside it ("_mm512_undefined...: used uninitialized").
#pragma once

#if defined(__GNUC__) && !defined(__clang__)
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wuninitialized"
#pragma GCC diagnostic ignored "-Wmaybe-uninitialized"
#include <immintrin.h>
#pragma GCC diagnostic pop
#else
#include <immintrin.h>
#endif
