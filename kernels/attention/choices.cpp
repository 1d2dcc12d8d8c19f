// SPDX-License-Identifier: Apache-2.0
#include "choices.hpp"

#include "../choice_file.hpp"

#include <algorithm>
#include <cstdlib>
#include <tuple>

namespace kernels {

/// Made by CMake from choices.toml.
extern const char* const built_in_attention_choices_text;

namespace {

auto order_of(const attention_case& c) { return std::tie(c.target, c.isa, c.type, c.threads, c.dim, c.heads, c.key_heads, c.causal, c.batch, c.queries, c.keys); }

std::string shape_text(const attention_case& c) {
    return fmt::format("{} x {}/{} x {}:{}{}", c.batch, c.heads, c.key_heads, c.queries, c.keys, c.causal ? ", causal" : "");
}

}  // namespace

attention_choices attention_choices::parse(std::string_view text, const std::string& name) {
    attention_choices result;
    choice_file::for_each(text, name, [&](const choice_file::choice& c) {
        entry e;
        e.of.target = c.field<std::string>("target");
        e.of.isa = c.field<std::string>("isa");
        e.of.type = c.field<std::string>("type");
        e.of.threads = static_cast<int>(c.field<std::int64_t>("threads"));
        c.positive("heads", "HEADS, KEY HEADS, HEAD DIMENSION", {&e.of.heads, &e.of.key_heads, &e.of.dim});
        c.positive("shape", "BATCH, QUERIES, KEYS", {&e.of.batch, &e.of.queries, &e.of.keys});
        e.of.causal = c.field("causal", false);
        e.policy = c.field<std::string>("policy");
        e.splits = static_cast<int>(c.field("splits", std::int64_t{0}));
        e.gain = c.field("gain", 1.0);
        if (e.of.threads < 1) c.refuse("a choice needs threads, a positive number");
        if (e.splits < 0 || e.splits > 256) c.refuse("splits must be from 0 to 256");
        result.set(e);
    });
    return result;
}

attention_choices attention_choices::read(const std::filesystem::path& file) { return parse(choice_file::read(file, "the table of attention choices"), file.string()); }

const attention_choices& attention_choices::built_in() {
    static const attention_choices table = parse(built_in_attention_choices_text, "choices.toml");
    return table;
}

const attention_choices& attention_choices::active() {
    static const attention_choices table = [] {
        const char* file = std::getenv("KITTENS_ATTENTION_CHOICES");
        return file && *file ? read(file) : built_in();
    }();
    return table;
}

attention_choice attention_choices::choose(const attention_case& p) const {
    const entry* best = nullptr;
    double least = 0;
    for (const entry& e : entries_) {
        if (e.of.target != p.target || e.of.isa != p.isa || e.of.type != p.type || e.of.dim != p.dim || (e.policy == "decode" && !p.decodes)) continue;
        double distance = 0.25 * choice_file::distance(e.of.threads, p.threads) + (e.of.causal != p.causal ? 1 : 0);
        for (const auto& [a, b] : {std::pair{e.of.batch, p.batch}, {e.of.heads, p.heads}, {e.of.key_heads, p.key_heads}, {e.of.queries, p.queries}, {e.of.keys, p.keys}})
            distance += choice_file::distance(static_cast<double>(a), static_cast<double>(b));
        if (!best || distance < least) best = &e, least = distance;
    }
    if (!best) return {"default", 0, fmt::format("nothing measured for {} {} {}, head dimension {}", p.target, p.isa, p.type, p.dim)};
    if (least == 0) return {best->policy, best->splits, "measured"};
    return {best->policy, best->splits, "nearest measured: " + shape_text(best->of)};
}

void attention_choices::set(const entry& e) {
    const auto at = std::find_if(entries_.begin(), entries_.end(), [&](const entry& o) { return order_of(o.of) == order_of(e.of); });
    if (at != entries_.end()) *at = e;
    else entries_.push_back(e);
}

std::string attention_choices::text() const {
    std::vector<entry> sorted = entries_;
    std::sort(sorted.begin(), sorted.end(), [](const entry& a, const entry& b) { return order_of(a.of) < order_of(b.of); });
    std::string text =
        "# SPDX-License-Identifier: Apache-2.0\n"
        "# Measured choices of attention policies (kittens tune attention writes them). heads = [heads, key heads, head dimension];\n"
        "# shape = [batch, queries, keys]; splits: parts of the keys, 0 for the launcher's own choice; gain: the default policy's time\n"
        "# over this one's. Other problems take the nearest of these.\n";
    const entry* last = nullptr;
    for (const entry& e : sorted) {
        const attention_case& c = e.of;
        if (!last || std::tie(last->of.target, last->of.isa, last->of.type, last->of.threads) != std::tie(c.target, c.isa, c.type, c.threads))
            text += fmt::format("\n# {} {}, {}, {} thread{}\n", c.target, c.isa, c.type, c.threads, c.threads == 1 ? "" : "s");
        text += fmt::format("[[choice]]\ntarget = \"{}\"\nisa = \"{}\"\ntype = \"{}\"\nthreads = {}\nheads = [{}, {}, {}]\nshape = [{}, {}, {}]\ncausal = {}\npolicy = \"{}\"\nsplits = {}\ngain = {:.3f}\n", c.target,
                            c.isa, c.type, c.threads, c.heads, c.key_heads, c.dim, c.batch, c.queries, c.keys, c.causal, e.policy, e.splits, e.gain);
        last = &e;
    }
    return text;
}

void attention_choices::write(const std::filesystem::path& file) const { choice_file::write(file, text()); }

}  // namespace kernels
