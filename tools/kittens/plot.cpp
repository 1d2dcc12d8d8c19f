// SPDX-License-Identifier: Apache-2.0
// kittens plot: figures of bench as a chart. The drawing is Python's (bench/plot.py).
#include "commands.hpp"
#include "console.hpp"
#include "text.hpp"

#include <kittens/inspect/process.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <unistd.h>

namespace kittens::tool {

namespace {

namespace fs = std::filesystem;

struct plot_options {
    std::string input, output, peers;
};

/// The project's own interpreter, which has matplotlib; else the system's.
std::string python() {
    std::error_code ignored;
    if (const char* given = std::getenv("KITTENS_PYTHON"); given && *given) return given;
    const char* toolchain = std::getenv("KITTENS_TOOLCHAIN");
    for (const fs::path& folder : {fs::path(toolchain ? toolchain : ""), fs::path(KITTENS_TOOLCHAIN_DIR)})
        if (!folder.empty() && fs::exists(folder / "venv/bin/python", ignored)) return folder / "venv/bin/python";
    return "python3";
}

fs::path script() {
    std::error_code ignored;
    const fs::path prefix = fs::read_symlink("/proc/self/exe", ignored).parent_path().parent_path();
    for (const fs::path& file : {prefix / KITTENS_INSTALLED_PLOT, fs::path(KITTENS_SOURCE_PLOT)})
        if (fs::exists(file, ignored)) return file;
    throw user_error(fmt::format("{} is not there; install the program with cmake --install, or build it again", KITTENS_SOURCE_PLOT));
}

/// Reads the figures as far as is needed to say what is wrong with them.
json read_figures(const std::string& path) {
    std::ifstream in(path);
    if (!in || fs::is_directory(path)) throw user_error(fmt::format("cannot read {}; name a file that kittens bench --json or kittens tune --json has written", path));
    const json figures = json::parse(in, nullptr, false);
    const auto has = [&](const char* key) { return figures.is_object() && figures.contains(key); };
    if (has("left") && has("entries") && has("kernel") && has("device")) return figures;  // kittens tune
    for (const char* key : {"kernel", "suite", "dtype", "device", "isa", "isa_cap", "threads", "peers", "entries", "geomean"})
        if (!has(key)) throw user_error(fmt::format("{} holds no figures of kittens bench; name a file that kittens bench --json has written", path));
    return figures;
}

int plot(const plot_options& o) {
    const json figures = read_figures(o.input);
    const fs::path output = o.output;
    require_choice("kind of picture", output.extension().string(), {".png", ".svg"});
    std::vector<std::string> measured, wanted;
    const bool policies = figures.contains("left");
    if (policies && !o.peers.empty()) throw user_error("--against is for figures of kittens bench; those of kittens tune compare policies");
    if (!policies)
        for (const auto& [name, unused] : figures["peers"].items()) measured.push_back(name);
    if (measured.empty() && !policies) throw user_error(fmt::format("{} has no peer to compare with; measure with --against", o.input));
    for (std::size_t from = 0; from < o.peers.size();) {
        const std::size_t end = std::min(o.peers.find(',', from), o.peers.size());
        wanted.push_back(o.peers.substr(from, end - from));
        require_choice("peer in this file", wanted.back(), measured);
        from = end + 1;
    }
    bool any = false;
    for (const json& entry : figures["entries"]) any |= policies || entry.value("passed", false);
    if (!any) throw user_error(fmt::format("no shape in {} has passed, so there is nothing to draw", o.input));

    // Drawn beside its place and moved there, so that a failure leaves nothing.
    const output_file place(o.output, "--output");
    const fs::path drawn = fs::temp_directory_path() / fmt::format("kittens-plot-{}{}", getpid(), output.extension().string());
    std::vector<std::string> command{python(), script(), o.input, drawn};
    command.insert(command.end(), wanted.begin(), wanted.end());
    const inspect::process_result done = inspect::run_process(command);
    if (done.exit_code == 3) throw user_error(fmt::format("{} has no matplotlib; install it with: scripts/setup.sh --only plot", command[0]));
    if (!done.ok()) throw user_error(fmt::format("{} failed ({}): {}", command[1], done.describe(), done.err.substr(done.err.find_last_of('\n', done.err.size() - 2) + 1)));
    std::ifstream in(drawn, std::ios::binary);
    const std::string picture{std::istreambuf_iterator<char>(in), {}};
    fs::remove(drawn);
    place.write(picture);
    return status_ok;
}

}  // namespace

void add_plot(CLI::App& program, action& chosen) {
    CLI::App* command = program.add_subcommand("plot", "Draw the figures of bench: speed relative to each peer, shape by shape");
    static plot_options o;
    command->add_option("FIGURES", o.input, "What kittens bench --json FILE has written")->required()->type_name("FILE");
    command->add_option("-o,--output", o.output, "The picture: .png or .svg")->required()->type_name("FILE");
    command->add_option("--against", o.peers, "Only these peers, separated by commas")->type_name("PEERS");
    command->callback([&chosen] { chosen = [] { return plot(o); }; });
}

}  // namespace kittens::tool
