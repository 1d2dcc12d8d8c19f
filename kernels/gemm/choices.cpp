// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"

#include "../choice_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <stdexcept>
#include <tuple>

namespace kernels {

/// Made by CMake from choices.toml.
extern const char* const built_in_choices_text;

namespace {

constexpr const char *measured = "measured", *machine_code = "machine code";
/// Squared octaves: a factor of 8 in one dimension, or of 3 in each.
constexpr double near_enough = 9;

auto order_of(const gemm_choices::entry& e) { return std::tie(e.target, e.isa, e.type, e.threads, e.k, e.m, e.n); }

std::int64_t pieces(std::int64_t all, std::int64_t each) { return (all + each - 1) / each; }

/// Tiles of C, for a policy that is named after its tile; 0 for others.
std::int64_t tiles_of(const std::string& policy, const gemm_problem& p) {
    const tile_sizes t = tile_named(policy);
    return t.m == 0 ? 0 : pieces(p.m, t.m) * pieces(p.n, t.n);
}

/// Threads that have something to do.
std::int64_t busy(const std::string& policy, const gemm_problem& p) {
    const tile_sizes t = tile_named(policy);
    const std::int64_t tiles = tiles_of(policy, p);
    return std::min<std::int64_t>(p.threads, t.split ? tiles * split_parts(tiles, pieces(p.k, t.k), p.threads) : tiles);
}

}  // namespace

tile_sizes tile_named(const std::string& policy) {
    long rows = 0, columns = 0, step = 0;
    int end = 0;
    if (std::sscanf(policy.c_str(), "%ldx%ldx%ld%n", &rows, &columns, &step, &end) != 3 || rows < 1 || columns < 1 || step < 1) return {};
    const std::string rest = policy.substr(static_cast<std::size_t>(end));
    if (!rest.empty() && rest != "_split") return {};
    return {rows, columns, step, !rest.empty()};
}

bool gemm_choices::entry::same_case(const entry& o) const { return order_of(*this) == order_of(o); }

gemm_choices gemm_choices::parse(std::string_view text, const std::string& name) {
    gemm_choices result;
    choice_file::for_each(text, name, [&](const choice_file::choice& c) {
        entry e;
        e.target = c.field<std::string>("target");
        e.isa = c.field<std::string>("isa");
        e.type = c.field<std::string>("type");
        e.policy = c.field<std::string>("policy");
        e.gain = c.field("gain", 1.0);
        e.evidence = c.field("evidence", e.evidence);
        if (e.evidence != measured && e.evidence != machine_code) c.refuse(fmt::format("evidence is \"{}\" or \"{}\", not \"{}\"", measured, machine_code, e.evidence));
        // Code has no threads; what was measured has.
        e.threads = static_cast<int>(e.evidence == machine_code ? c.field("threads", std::int64_t{1}) : c.field<std::int64_t>("threads"));
        c.positive("shape", "M, N, K", {&e.m, &e.n, &e.k});
        if (e.threads < 1) c.refuse("a choice needs threads, a positive number");
        result.set(e);
    });
    return result;
}

gemm_choices gemm_choices::read(const std::filesystem::path& file) {
    return parse(choice_file::read(file, "the table of GEMM choices"), file.string());
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

gemm_choice gemm_choices::choose(const gemm_problem& p, const std::vector<std::string>& compiled) const {
    const entry *best = nullptr, *nearest_sharing = nullptr;
    double least = 0, least_sharing = 0;
    for (const entry& e : entries_) {
        if (e.target != p.target || e.isa != p.isa || e.type != kittens::name_of(p.in)) continue;
        const double distance = choice_file::distance(double(e.m), double(p.m)) + choice_file::distance(double(e.n), double(p.n)) + choice_file::distance(double(e.k), double(p.k)) +
                                0.25 * choice_file::distance(e.threads, p.threads);
        if (!best || distance < least) best = &e, least = distance;
        if (tile_named(e.policy).split && (!nearest_sharing || distance < least_sharing)) nearest_sharing = &e, least_sharing = distance;
    }
    if (best && best->evidence == machine_code) {
        if (least == 0) return {best->policy, "ranked by machine code, not measured"};
        const std::string nearest = fmt::format("{} x {} x {}", best->m, best->n, best->k);
        if (least > near_enough) return {"default", fmt::format("nothing like it ranked or measured; nearest ranked by machine code: {}", nearest)};
        return {best->policy, fmt::format("nearest ranked by machine code, not measured: {}", nearest)};
    }
    if (best && least == 0) return {best->policy, "measured"};

    std::string usual = best ? best->policy : "default", sharing, why;
    if (nearest_sharing) sharing = nearest_sharing->policy;
    else
        for (const std::string& name : compiled)
            if (tile_named(name).split) sharing = name;
    why = best ? fmt::format("nearest measured: {} x {} x {}", best->m, best->n, best->k) : fmt::format("nothing measured for {} {} {}", p.target, p.isa, kittens::name_of(p.in));
    if (const tile_sizes tile = tile_named(sharing); tile.split) {
        // What shares K where there is enough else to do, or too little of it, only adds planes up in vain.
        if (const tile_sizes now = tile_named(usual); now.split && (tiles_of(usual, p) >= p.threads || p.k < 2 * now.k)) usual = "default";
        // The default policy's tile is not known here; it is about as large as those that split.
        const std::int64_t idle_without = p.threads - std::min<std::int64_t>(p.threads, tiles_of(tiles_of(usual, p) > 0 ? usual : sharing, p));
        // Two steps of K a part at least: adding up planes is not free.
        if (!tile_named(usual).split && idle_without > 0 && p.k >= 4 * tile.k && busy(sharing, p) > p.threads - idle_without)
            return {sharing, fmt::format("{}, with K shared out among {} threads", why, p.threads)};
    }
    if (!best) return {"default", why};
    if (usual != best->policy) return {usual, why + ", which shares K out"};
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
    return {best->policy, fmt::format("{}{}", why,
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
        "# Choices of GEMM policies (kittens tune gemm writes them). shape = [M, N, K]; policy: rows x columns x K step\n"
        "# of a tile (_split: K is shared out among the threads), or default; gain: the default policy's time over this one's. Other shapes take the nearest of these.\n"
        "# evidence = \"machine code\": ranked by that for a GPU, compiled and modelled, not measured; policies: xe_policies.hpp. All others are measured.\n";
    const entry* last = nullptr;
    for (const entry& e : sorted) {
        if (!last || std::tie(last->target, last->isa, last->type, last->threads) != std::tie(e.target, e.isa, e.type, e.threads))
            text += fmt::format("\n# {} {}, {}, {}\n", e.target, e.isa, e.type, e.evidence == machine_code ? "not measured" : fmt::format("{} thread{}", e.threads, e.threads == 1 ? "" : "s"));
        text += fmt::format("[[choice]]\ntarget = \"{}\"\nisa = \"{}\"\ntype = \"{}\"\n{}shape = [{}, {}, {}]\npolicy = \"{}\"\ngain = {:.3f}\n{}", e.target, e.isa, e.type,
                            e.evidence == machine_code && e.threads == 1 ? "" : fmt::format("threads = {}\n", e.threads), e.m, e.n, e.k, e.policy, e.gain,
                            e.evidence == machine_code ? "evidence = \"machine code\"\n" : "");
        last = &e;
    }
    return text;
}

void gemm_choices::write(const std::filesystem::path& file) const { choice_file::write(file, text()); }

}  // namespace kernels
