// SPDX-License-Identifier: Apache-2.0
// Switches the faults of target/xe/mutants.hpp on, one after the other, and runs cases of the grid on target emulated: all
// of the family that the fault is about, and some of the others. Fails where a fault passes, where other data would hide it from
// every case, or where a case fails without one.
#include "run.hpp"

#include "console.hpp"
#include "progress.hpp"
#include "text.hpp"

#include <kittens/target/xe/mutants.hpp>

#include <fmt/format.h>

#include <map>

namespace {

using namespace grid;
using kittens::tool::json;

struct fault {
    kittens::mutant which;
    const char* name;
    const char* home;  ///< the family that is about what it breaks: all of its cases are run
    const char* what;
};
using kittens::mutant;
constexpr fault faults[] = {
    {mutant::shared_half_filled, "shared_half_filled", "tile-shared-register", "paper 1: shared to register, four of eight packed elements written"},
    {mutant::row_sum_in_lane, "row_sum_in_lane", "register-reduction", "paper 2: row reduction never leaves the lane"},
    {mutant::vector_first_word, "vector_first_word", "register-vector", "paper 3: vectors, only the first inner element"},
    {mutant::scattered_a_operand, "scattered_a_operand", "product", "paper 4: A operand marshalled element by element, out of order"},
    {mutant::load_not_converted, "load_not_converted", "type-conversion", "paper 5: load skips the conversion"},
    {mutant::row_map_lane_overflow, "row_map_lane_overflow", "elementwise", "paper 6: per-row values from twice the lane index"},
    {mutant::wrong_vnni_half, "wrong_vnni_half", "register-conversion", "halves of a packed pair change places"},
    {mutant::transpose_distance, "transpose_distance", "register-conversion", "wrong butterfly distance of the transposition"},
    {mutant::reduction_distance, "reduction_distance", "register-reduction", "wrong butterfly distance of the row reduction"},
    {mutant::next_block_column, "next_block_column", "tile-global-register", "block load one column block further"},
    {mutant::no_load_edge, "no_load_edge", "edge", "loads outside the tensor not masked"},
    {mutant::no_store_edge, "no_store_edge", "edge", "stores outside the tensor not masked"},
    {mutant::dropped_k_step, "dropped_k_step", "product", "last step of the inner dimension dropped"},
    {mutant::truncating_conversion, "truncating_conversion", "register-conversion", "float to bf16 truncates"},
    {mutant::wrapping_conversion, "wrapping_conversion", "type-conversion", "conversion to 8-bit integers wraps"},
    {mutant::mask_from_base_tile, "mask_from_base_tile", "register-map", "masks count rows from the base tile"},
    {mutant::transpose_load_row, "transpose_load_row", "base-shape", "transposed load's second block from the wrong place"},
    {mutant::last_rows_not_stored, "last_rows_not_stored", "tile-global-register", "last eight rows not stored"},
    {mutant::group_stride, "group_stride", "tile-shared-register", "subgroups that share work skip rows"},
    {mutant::half_register_forgotten, "half_register_forgotten", "register-vector", "half-full last register left out of reductions"},
    {mutant::wide_lane_order, "wide_lane_order", "vector-movement", "neighbouring lanes of a wide vector change places"},
    {mutant::paired_columns_swapped, "paired_columns_swapped", "register-reduction", "column results of paired bytes change places"},
    {mutant::barrier_missing, "barrier_missing", "barrier", "workgroup barrier does nothing"},
    {mutant::prefetch_region_shifted, "prefetch_region_shifted", "prefetch", "prefetch of the next column block"},
    {mutant::part_of_first_column, "part_of_first_column", "register-conversion", "sub-tiles from the first column only"},
};
static_assert(std::size(faults) + 1 == std::size_t(mutant::count), "mutants: every fault of target/xe/mutants.hpp is in this table");

/// The cases that pass as long as no fault is switched on, and whose kernels this program holds.
std::vector<const grid_case*> sound_cases(queue& on, std::uint64_t seed, std::vector<std::string>& wrong) {
    std::vector<const grid_case*> sound;
    kittens::tool::progress bar("without faults", cases().size());
    for (const grid_case& one : cases()) {
        try {
            context c(on, seed, one.name);
            one.run(c);
            sound.push_back(&one);
        } catch (const launch_error&) {  // a kernel that this program does not hold
        } catch (const std::exception& e) {
            wrong.push_back(fmt::format("{} fails without a fault: {}", one.name, e.what()));
        }
        bar.advance();
    }
    return sound;
}

/// All cases of the fault's own family, and one in `step` of the others.
std::vector<const grid_case*> chosen_for(const fault& f, const std::vector<const grid_case*>& sound, std::size_t step) {
    std::vector<const grid_case*> chosen;
    for (std::size_t i = 0; i < sound.size(); ++i)
        if (sound[i]->family == f.home || i % step == 0) chosen.push_back(sound[i]);
    return chosen;
}

int check(const std::string& json_path, std::uint64_t seed, int step) {
    const kittens::tool::console out(json_path);
    queue on(find_device("emulated"));
    std::vector<std::string> wrong;
    const auto sound = sound_cases(on, seed, wrong);
    out.print(fmt::format("{} cases against {} faults, seed {}\n", sound.size(), std::size(faults), seed));
    json results = json::array();
    {
        kittens::tool::progress bar("faults", std::size(faults));
        for (const fault& f : faults) {
            kittens::active_mutant = f.which;
            std::vector<std::string> killers, lucky;
            std::map<std::string, int> families;
            for (const grid_case* c : chosen_for(f, sound, static_cast<std::size_t>(step))) {
                if (run_case(*c, on, seed).empty()) continue;
                killers.push_back(c->name);
                ++families[c->family];
                // What other data or a neighbour in memory would hide is no proof.
                if (run_case(*c, on, seed + 1).empty()) lucky.push_back(c->name);
            }
            bar.advance();
            kittens::active_mutant = mutant::none;
            if (killers.empty()) wrong.push_back(fmt::format("{} ({}) passes every case", f.name, f.what));
            else if (lucky.size() == killers.size())
                wrong.push_back(fmt::format("{} ({}) is noticed with some data only: {} passes with seed {}", f.name, f.what, lucky.front(), seed + 1));
            std::string by;
            for (const auto& [name, n] : families) by += fmt::format("{}{} {}", by.empty() ? "" : ", ", n, name);
            out.print(fmt::format("{:<24} {:<64} {:>4} cases notice: {}\n", f.name, f.what, killers.size(), by));
            results.push_back({{"fault", f.name}, {"what", f.what}, {"caught", !killers.empty()}, {"families", families}, {"cases", killers}, {"by_luck", lucky}});
        }
    }
    for (const std::string& w : wrong) out.print(fmt::format("FAILED {}\n", w));
    out.write({{"seed", seed}, {"cases", sound.size()}, {"faults", results}, {"wrong", wrong}});
    return wrong.empty() ? kittens::tool::status_ok : kittens::tool::status_failed;
}

int act(int argc, char** argv) {
    std::string seed, json_path;
    int step = 23;
    CLI::App program("Checks that the grid notices faults of the lowering", "grid_mutants");
    program.add_option("--seed", seed, "Seed of the data; a fresh one if not given")->type_name("S");
    program.add_option("--step", step, "Of the families that a fault is not about, run one case in so many")->check(CLI::PositiveNumber)->capture_default_str();
    program.add_option("--json", json_path, "Write which cases notice which fault to FILE")->type_name("FILE");
    CLI11_PARSE(program, argc, argv);
    return check(json_path, seed.empty() ? kittens::tool::fresh_seed() : kittens::tool::seed_number(seed), step);
}

}  // namespace

int main(int argc, char** argv) {
    try {
        return act(argc, argv);
    } catch (const std::exception& e) {
        kittens::tool::console::complain(e.what());
    }
    return kittens::tool::status_error;
}
