// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iterator>
#include <stdexcept>
#include <tuple>

namespace kernels {

/// Made by CMake from choices.toml.
extern const char* const built_in_choices_text;

namespace {

[[noreturn]] void refuse(const std::string& name, const toml::node& at, const std::string& what) {
    throw std::runtime_error(fmt::format("{}:{}: {}", name, at.source().begin.line, what));
}

template <class T>
T field(const toml::table& from, const char* key, const std::string& name) {
    const auto value = from[key].value<T>();
    if (!value) refuse(name, from, fmt::format("a choice needs \"{}\"", key));
    return *value;
}

auto order_of(const gemm_choices::entry& e) { return std::tie(e.target, e.isa, e.type, e.threads, e.k, e.m, e.n); }

double octaves(double a, double b) { return std::log2(a / b); }

/// Tiles of C, for a policy that is named after its tile; 0 for others.
std::int64_t tiles_of(const std::string& policy, const gemm_problem& p) {
    long rows = 0, columns = 0;
    if (std::sscanf(policy.c_str(), "%ldx%ldx", &rows, &columns) != 2 || rows < 1 || columns < 1) return 0;
    return ((p.m + rows - 1) / rows) * ((p.n + columns - 1) / columns);
}

}  // namespace

bool gemm_choices::entry::same_case(const entry& o) const { return order_of(*this) == order_of(o); }

gemm_choices gemm_choices::parse(std::string_view text, const std::string& name) {
    gemm_choices result;
    toml::table all;
    try {
        all = toml::parse(text, name);
    } catch (const toml::parse_error& e) {
        throw std::runtime_error(fmt::format("{}:{}: {}", name, e.source().begin.line, e.description()));
    }
    const toml::array* list = all["choice"].as_array();
    if (!list) return result;
    for (const toml::node& node : *list) {
        const toml::table* t = node.as_table();
        if (!t) refuse(name, node, "a choice is a table: [[choice]]");
        entry e;
        e.target = field<std::string>(*t, "target", name);
        e.isa = field<std::string>(*t, "isa", name);
        e.type = field<std::string>(*t, "type", name);
        e.threads = static_cast<int>(field<std::int64_t>(*t, "threads", name));
        e.policy = field<std::string>(*t, "policy", name);
        e.gain = (*t)["gain"].value_or(1.0);
        const toml::array* shape = (*t)["shape"].as_array();
        std::int64_t sizes[3] = {};
        for (std::size_t i = 0; shape && shape->size() == 3 && i < 3; ++i) sizes[i] = (*shape)[i].value_or(std::int64_t{0});
        if (std::min({sizes[0], sizes[1], sizes[2]}) < 1 || e.threads < 1) refuse(name, *t, "a choice needs threads and shape = [M, N, K], all positive");
        e.m = sizes[0], e.n = sizes[1], e.k = sizes[2];
        result.set(e);
    }
    return result;
}

gemm_choices gemm_choices::read(const std::filesystem::path& file) {
    std::ifstream in(file);
    if (!in) throw std::runtime_error(fmt::format("cannot read the table of GEMM choices {}", file.string()));
    const std::string text{std::istreambuf_iterator<char>(in), {}};
    return parse(text, file.string());
}

const gemm_choices& gemm_choices::built_in() {
    static const gemm_choices table = parse(built_in_choices_text, "choices.toml");
    return table;
}

const gemm_choices& gemm_choices::active() {
    static const gemm_choices table = [] {
        const char* file = std::getenv("KITTENS_GEMM_CHOICES");
        return file && *file ? read(file) : built_in();
    }();
    return table;
}

gemm_choice gemm_choices::choose(const gemm_problem& p) const {
    const entry* best = nullptr;
    double least = 0;
    for (const entry& e : entries_) {
        if (e.target != p.target || e.isa != p.isa || e.type != kittens::name_of(p.in)) continue;
        const auto square = [](double x) { return x * x; };
        const double distance = square(octaves(static_cast<double>(e.m), static_cast<double>(p.m))) + square(octaves(static_cast<double>(e.n), static_cast<double>(p.n))) +
                                square(octaves(static_cast<double>(e.k), static_cast<double>(p.k))) + 0.25 * square(octaves(e.threads, p.threads));
        if (!best || distance < least) best = &e, least = distance;
    }
    if (!best) return {"default", fmt::format("nothing measured for {} {} {}", p.target, p.isa, kittens::name_of(p.in))};
    if (least == 0) return {best->policy, "measured"};
    // More threads than were there when it was measured: a large tile may leave some without work. Then the largest of the table's tiles
    // that gives each thread two, or, where there is none, the smallest.
    const std::int64_t wanted = 2 * std::int64_t(p.threads), tiles = tiles_of(best->policy, p);
    if (p.threads > best->threads && tiles > 0 && tiles < wanted) {
        const entry* other = best;
        for (const entry& e : entries_) {
            if (e.target != p.target || e.isa != p.isa || e.type != kittens::name_of(p.in)) continue;
            const std::int64_t has = tiles_of(e.policy, p), now = tiles_of(other->policy, p);
            if (now < wanted ? has > now : has >= wanted && has < now) other = &e;
        }
        if (other != best) return {other->policy, fmt::format("nearest measured: {} x {} x {}, with tiles for {} threads", best->m, best->n, best->k, p.threads)};
    }
    return {best->policy, fmt::format("nearest measured: {} x {} x {}{}", best->m, best->n, best->k,
                                      best->threads == p.threads ? "" : fmt::format(" with {} thread{}", best->threads, best->threads == 1 ? "" : "s"))};
}

void gemm_choices::set(const entry& e) {
    const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const entry& o) { return o.same_case(e); });
    if (at != entries_.end()) *at = e;
    else entries_.push_back(e);
}

std::string gemm_choices::text() const {
    std::vector<entry> sorted = entries_;
    std::sort(sorted.begin(), sorted.end(), [](const entry& a, const entry& b) { return order_of(a) < order_of(b); });
    std::string text =
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# Measured choices of GEMM policies (kittens tune gemm writes them). shape = [M, N, K]; policy: rows x columns x K step\n"
        "# of a tile, or default; gain: the default policy's time over this one's. Other shapes take the nearest of these.\n";
    const entry* last = nullptr;
    for (const entry& e : sorted) {
        if (!last || std::tie(last->target, last->isa, last->type, last->threads) != std::tie(e.target, e.isa, e.type, e.threads))
            text += fmt::format("\n# {} {}, {}, {} thread{}\n", e.target, e.isa, e.type, e.threads, e.threads == 1 ? "" : "s");
        text += fmt::format("[[choice]]\ntarget = \"{}\"\nisa = \"{}\"\ntype = \"{}\"\nthreads = {}\nshape = [{}, {}, {}]\npolicy = \"{}\"\ngain = {:.3f}\n", e.target,
                            e.isa, e.type, e.threads, e.m, e.n, e.k, e.policy, e.gain);
        last = &e;
    }
    return text;
}

void gemm_choices::write(const std::filesystem::path& file) const {
    std::filesystem::path beside = file;
    beside += ".new";
    std::ofstream out(beside);
    out << text();
    out.close();
    if (!out) throw std::runtime_error(fmt::format("cannot write {}", beside.string()));
    std::filesystem::rename(beside, file);
}

}  // namespace kernels
