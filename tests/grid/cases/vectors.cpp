// SPDX-License-Identifier: Apache-2.0
#include "common.hpp"

namespace grid {
namespace {

enum way { through_registers, through_shared, shared_to_register, register_to_shared };

void copy_vectors(context& c, const std::string& kernel, dtype type, int length, int groups, int subgroups, way how, int missing = 0) {
    tensor& in = c.input(type, 3, length * groups * (how == through_shared ? 1 : subgroups) - missing);
    tensor& out = c.output(type, in.rows(), in.cols());
    in.fill_coded(c.seed(), true);  // vectors are held in the compute type
    globals g = launch_of(groups, 3, subgroups);
    g.number[0] = how;
    c.run(kernel, g, {&in, &out});
    expect_bits("copy", out, [&](int i, int j) { return in.bits(i, j); });
}

const family vectors("vector-movement", [](std::vector<grid_case>& to) {
    constexpr const char* name = "vector-movement";
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32}) {
        for (const char* form : {"align", "ortho", "naive"})
            for (int n = 16; n <= 64; n += 16) {
                const std::string kernel = fmt::format("grid_vector_{}_{}_{}", name_of(t), form, n);
                add(to, name, fmt::format("global-register/{}/{}/{}", name_of(t), form, n), true,
                    [=](context& c) { copy_vectors(c, kernel, t, n, 2, 2, through_registers); });
                add(to, name, fmt::format("shared-register/{}/{}/{}", name_of(t), form, n), true,
                    [=](context& c) { copy_vectors(c, kernel, t, n, 2, 2, shared_to_register); });
                add(to, name, fmt::format("register-shared/{}/{}/{}", name_of(t), form, n), false,
                    [=](context& c) { copy_vectors(c, kernel, t, n, 2, 2, register_to_shared); });
            }
        for (const int subgroups : {1, 2, 4})
            for (int n = 16 * subgroups; n <= 64; n += 16 * subgroups)
                add(to, name, fmt::format("global-shared/{}/{}/{}", name_of(t), n, subgroups), true,
                    [=](context& c) { copy_vectors(c, fmt::format("grid_vector_{}_naive_{}", name_of(t), n), t, n, 2, subgroups, through_shared); });
        // Half-full registers, and 128 bits to a lane; whole vectors, and ones that the tensor's edge cuts.
        for (const auto& [form, n] : {std::pair("naive", 8), std::pair("naive", 24), std::pair("wide", 128), std::pair("wide", 256)})
            for (const int missing : {0, 3, 8}) {
                if (missing >= n) continue;
                const std::string kernel = fmt::format("grid_vector_{}_{}_{}", name_of(t), form, n);
                // A row must stay a multiple of four bytes long for block access.
                const int cut = missing * size_of(t) % 4 ? missing + 1 : missing;
                const std::string end = missing ? fmt::format("/{}-missing", cut) : "";
                for (const auto& [way_name, how] : {std::pair("global-register", through_registers), std::pair("shared-register", shared_to_register), std::pair("register-shared", register_to_shared)})
                    add(to, name, fmt::format("{}/{}/{}/{}{}", way_name, name_of(t), form, n, end), false,
                        [=, how = how, n = n](context& c) { copy_vectors(c, kernel, t, n, 2, 1, how, cut); });
            }
    }
});

/// The input ends inside vectors that are stored whole: zeros come in.
void zeros_in(context& c, const std::string& kernel, dtype type, int length, way how) {
    constexpr int groups = 2, missing = 6;
    tensor& in = c.input(type, 3, length * groups - missing);
    tensor& out = c.output(type, 3, length * groups);
    in.fill_coded(c.seed(), true);
    globals g = launch_of(groups, 3, 1);
    g.number[0] = how;
    c.run(kernel, g, {&in, &out});
    expect_bits("copy", out, [&](int i, int j) { return j < in.cols() ? in.bits(i, j) : 0U; });
}

const family edges("edge-vectors", [](std::vector<grid_case>& to) {
    for (const dtype t : {dtype::bf16, dtype::f16, dtype::f32})
        for (const auto& [form, n] : {std::pair("align", 16), std::pair("ortho", 32), std::pair("naive", 8), std::pair("naive", 24), std::pair("wide", 128), std::pair("wide", 256)}) {
            const std::string kernel = fmt::format("grid_vector_{}_{}_{}", name_of(t), form, n);
            for (const auto& [way_name, how] : {std::pair("global-register", through_registers), std::pair("global-shared", through_shared)})
                add(to, "edge", fmt::format("vector-zeros-in/{}/{}/{}/{}", way_name, name_of(t), form, n), false,
                    [=, how = how, n = n](context& c) { zeros_in(c, kernel, t, n, how); });
        }
});

}  // namespace
}  // namespace grid
