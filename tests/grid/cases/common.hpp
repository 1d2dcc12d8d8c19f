// SPDX-License-Identifier: Apache-2.0
// What the tables of cases are written with.
#pragma once

#include "../grid.hpp"

#include <fmt/format.h>

#include <cmath>
#include <string>
#include <utility>
#include <vector>

namespace grid {

inline void add(std::vector<grid_case>& to, const char* family, const std::string& variant, bool paper, std::function<void(context&)> run) {
    to.push_back({fmt::format("{}/{}", family, variant), family, paper, std::move(run)});
}

inline globals launch_of(int groups_x, int groups_y, int subgroups) {
    globals g;
    g.groups[0] = groups_x;
    g.groups[1] = groups_y;
    g.subgroups = subgroups;
    return g;
}

/// The 28 cells of the size axis: f(height, width, subgroups), height and width from 1 to 4 blocks of 16, of 1, 2 and 4
/// subgroups those that divide the height.
template <class F> void for_cells(F f) {
    for (const int subgroups : {1, 2, 4})
        for (int h = 1; h <= 4; ++h)
            for (int w = 1; w <= 4; ++w)
                if (h % subgroups == 0) f(h, w, subgroups);
}

/// The 16 sizes of one subgroup: f(rows, columns).
template <class F> void for_sizes(F f) {
    for (int m = 16; m <= 64; m += 16)
        for (int n = 16; n <= 64; n += 16) f(m, n);
}

/// Units in the last place of float, as a relative bound.
inline double ulps(double n) { return n * 0x1p-24; }

/// What OpenCL lets functions of float be off by (OpenCL C 3.0, table of relative errors as units in the last place; full
/// profile), as a relative bound: a unit in the last place is at most 2^-23 of the value. The other targets are nearer.
namespace function_error {
constexpr double sqrt = 3 * 0x1p-23, rsqrt = 2 * 0x1p-23, recip = 2.5 * 0x1p-23, exp2 = 3 * 0x1p-23, log2 = 3 * 0x1p-23;
}

}  // namespace grid
