// SPDX-License-Identifier: Apache-2.0
// What OpenBLAS's plug-ins have in common: its version and core, and the bfloat16 product that only some builds have.
#pragma once

#include "plugin.hpp"

#include <cblas.h>
#include <dlfcn.h>

#include <cstdint>

namespace kittens::peers::openblas {

using sbgemm_t = void (*)(CBLAS_ORDER, CBLAS_TRANSPOSE, CBLAS_TRANSPOSE, blasint, blasint, blasint, float,
                          const std::uint16_t*, blasint, const std::uint16_t*, blasint, float, float*, blasint);

/// The product of bfloat16 with float output, or nullptr.
inline sbgemm_t find_sbgemm() {
    static const auto found = reinterpret_cast<sbgemm_t>(dlsym(RTLD_DEFAULT, "cblas_sbgemm"));
    return found;
}

struct library {
    static const char* unavailable() { return nullptr; }
    /// "OpenBLAS 0.3.21 NO_AFFINITY DYNAMIC_ARCH Haswell MAX_THREADS=64": the first two words.
    static std::string version() {
        const std::string text = openblas_get_config();
        return text.substr(0, text.find(' ', text.find(' ') + 1));
    }
    static std::string isa() { return openblas_get_corename(); }
};

}  // namespace kittens::peers::openblas
