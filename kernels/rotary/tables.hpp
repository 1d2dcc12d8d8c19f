// SPDX-License-Identifier: Apache-2.0
// Frequencies and tables of rotary position embedding, made on the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <numbers>
#include <stdexcept>
#include <vector>

namespace kernels {

/// Llama 3.1's frequency scaling: waves longer than a part of the original context are stretched by `factor`, shorter than another
/// part are left alone, and what lies between is a blend. factor 1: no scaling.
struct rotary_scaling {
    double factor = 1, low_frequency_factor = 1, high_frequency_factor = 4, original_context = 8192;
};

/// Angle per position of each of the rotated / 2 pairs: base^(-2 i / rotated), scaled. Single precision, as models compute it.
inline std::vector<float> rotary_frequencies(int rotated, double base, const rotary_scaling& scaling = {}) {
    if (rotated < 2 || rotated % 2) throw std::invalid_argument("rotary_frequencies: the number of rotated elements must be even and positive, not " + std::to_string(rotated));
    std::vector<float> result(static_cast<std::size_t>(rotated / 2));
    for (std::size_t i = 0; i < result.size(); ++i) {
        double f = std::pow(base, -2.0 * static_cast<double>(i) / rotated);
        if (scaling.factor != 1) {
            const double wave = 2 * std::numbers::pi / f;
            const double low = scaling.original_context / scaling.low_frequency_factor, high = scaling.original_context / scaling.high_frequency_factor;
            if (wave > low) f /= scaling.factor;
            else if (wave >= high) {
                const double blend = (scaling.original_context / wave - scaling.low_frequency_factor) / (scaling.high_frequency_factor - scaling.low_frequency_factor);
                f = (1 - blend) * f / scaling.factor + blend * f;
            }
        }
        result[i] = static_cast<float>(f);
    }
    return result;
}

/// A row of cosines or sines (one value per pair) as the kernel wants it: a head of `head_dim` elements repeated to `length`.
/// `sine`: with the sign of the element's place, and 0 (else 1) where nothing is rotated.
template <class T> void expand_rotary_row(const T* pairs, int rotated, int head_dim, int length, bool interleaved, bool sine, T* to) {
    for (int i = 0; i < length; ++i) {
        const int e = i % head_dim;
        if (e >= rotated) {
            to[i] = T(sine ? 0.0f : 1.0f);
            continue;
        }
        const bool first = interleaved ? e % 2 == 0 : e < rotated / 2;
        const float v = static_cast<float>(pairs[interleaved ? e / 2 : e % (rotated / 2)]);
        to[i] = T(sine && first ? -v : v);
    }
}

}  // namespace kernels
