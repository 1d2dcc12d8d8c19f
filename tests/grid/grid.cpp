// SPDX-License-Identifier: Apache-2.0
#include "grid.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <utility>

namespace grid {

namespace {

struct entry {
    std::string name;
    void (*add)(std::vector<grid_case>&);
};
std::vector<entry>& families() {
    static std::vector<entry> all;
    return all;
}

}  // namespace

family::family(const char* name, void (*add)(std::vector<grid_case>&)) { families().push_back({name, add}); }

const std::vector<grid_case>& cases() {
    static const std::vector<grid_case> all = [] {
        std::vector<grid_case> list;
        auto sorted = families();
        std::sort(sorted.begin(), sorted.end(), [](const entry& a, const entry& b) { return a.name < b.name; });
        for (const entry& f : sorted) f.add(list);
        return list;
    }();
    return all;
}

context::context(queue& on, std::uint64_t seed, std::string_view name) : on_(on), seed_(seed) {
    for (const char c : name) seed_ = mix(seed_, static_cast<unsigned char>(c));
    state_ = seed_;
}

unsigned context::random(unsigned n) { return static_cast<unsigned>((state_ = mix(state_, 1)) >> 16) % n; }

tensor& context::make(dtype type, int rows, int cols, bool written) {
    tensors_.push_back(std::make_unique<tensor>(on_.where(), type, rows, cols, written));
    return *tensors_.back();
}

event context::run(const std::string& kernel, globals g, const std::vector<const tensor*>& matrices) {
    for (std::size_t i = 0; i < matrices.size(); ++i)
        if (matrices[i]) g.matrix[i] = matrices[i]->arg();
    for (const auto& t : tensors_) t->remember();
    event done;
    try {
        done = kittens::run(on_, kernel, g);
    } catch (const kernel_error& e) {
        throw failure(fmt::format("kernel {}: {}{}", kernel, e.what(), e.reports().empty() ? "" : "; " + e.reports().front()));
    }
    for (const auto& t : tensors_)
        if (const std::string what = t->damage(); !what.empty()) throw failure(fmt::format("kernel {}: {}", kernel, what));
    return done;
}

}  // namespace grid
