// SPDX-License-Identifier: Apache-2.0
// kittens plot: figures of bench as a chart. The drawing is Python's (bench/plot.py).
#include "bench_report.hpp"
#include "commands.hpp"
#include "console.hpp"
#include "text.hpp"

#include <kittens/inspect/process.hpp>

#include <CLI/CLI.hpp>
#include <fmt/format.h>

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

bool has(const json& part, const char* key) { return part.is_object() && part.contains(key); }

/// The figures of one suite each: of one kernel, or, from kittens bench all, of each kernel.
json reports_of(const json& figures) { return has(figures, "reports") ? figures["reports"] : json::array({figures}); }

/// What kittens tune has written: policies against each other, no peers.
bool compares_policies(const json& figures) { return has(figures, "left"); }

/// Reads the figures as far as is needed to say what is wrong with them.
json read_figures(const std::string& path) {
    std::ifstream in(path);
    if (!in || fs::is_directory(path)) throw user_error(fmt::format("cannot read {}; name a file that kittens bench --json or kittens tune --json has written", path));
    const json figures = json::parse(in, nullptr, false);
    if (compares_policies(figures) && has(figures, "entries") && has(figures, "kernel") && has(figures, "device")) return figures;
    const json reports = reports_of(figures);
    const auto whole = [](const json& report) {
        const auto keys = {"kernel", "suite", "dtype", "device", "isa", "isa_cap", "threads", "peers", "entries", "geomean"};
        return std::all_of(keys.begin(), keys.end(), [&](const char* key) { return has(report, key); });
    };
    if ((has(figures, "reports") && !has(figures, "suite")) || !reports.is_array() || reports.empty() || !std::all_of(reports.begin(), reports.end(), whole))
        throw user_error(fmt::format("{} holds no figures of kittens bench; name a file that kittens bench --json has written", path));
    return figures;
}

int plot(const plot_options& o) {
    const json figures = read_figures(o.input);
    const fs::path output = o.output;
    require_choice("kind of picture", output.extension().string(), {".png", ".svg"});
    const std::vector<std::string> wanted = split(o.peers, ',');
    if (compares_policies(figures)) {
        if (!wanted.empty()) throw user_error("--against is for figures of kittens bench; those of kittens tune compare policies");
    } else {
        std::vector<std::string> measured;
        for (const json& report : reports_of(figures))
            for (const auto& [name, unused] : report["peers"].items())
                if (std::find(measured.begin(), measured.end(), name) == measured.end()) measured.push_back(name);
        if (measured.empty()) throw user_error(fmt::format("{} has no peer to compare with; measure with --against", o.input));
        for (const std::string& peer : wanted) require_choice("peer in this file", peer, measured);
        if (!has_comparison(figures)) throw user_error(fmt::format("no shape in {} has passed for us and a peer, so there is nothing to draw", o.input));
    }
    const output_file place(o.output, "--output");
    place.write(draw_figures(figures, output.extension().string(), wanted));
    return status_ok;
}

[[noreturn]] void complain_of_matplotlib() { throw user_error(fmt::format("{} has no matplotlib; install it with: scripts/setup.sh --only plot", python())); }

/// A file that is gone at the end of the block.
struct passing_file {
    fs::path path;
    explicit passing_file(const std::string& kind) : path(fs::temp_directory_path() / fmt::format("kittens-plot-{}{}", getpid(), kind)) {}
    passing_file(const passing_file&) = delete;
    ~passing_file() {
        std::error_code ignored;
        fs::remove(path, ignored);
    }
};

}  // namespace

bool has_comparison(const json& figures) {
    const json reports = reports_of(figures);
    return std::any_of(reports.begin(), reports.end(), [](const json& report) {
        const json& entries = report["entries"];
        return std::any_of(entries.begin(), entries.end(), [](const json& e) { return has(e, "peers") && !e["peers"].empty() && e.value("passed", false); });
    });
}

std::string draw_figures(const json& figures, const std::string& kind, const std::vector<std::string>& peers) {
    // Drawn elsewhere and read from there, so that a failure leaves nothing.
    const passing_file data(".json"), drawn(kind);
    output_file(data.path, "--output").write(figures.dump());
    std::vector<std::string> command{python(), script(), data.path, drawn.path};
    command.insert(command.end(), peers.begin(), peers.end());
    const inspect::process_result done = inspect::run_process(command);
    if (done.exit_code == 3) complain_of_matplotlib();
    if (!done.ok()) throw user_error(fmt::format("{} failed ({}): {}", command[1], done.describe(), done.err.substr(done.err.find_last_of('\n', done.err.size() - 2) + 1)));
    std::ifstream in(drawn.path, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

void require_drawing() {
    (void)script();
    if (!inspect::run_process({python(), "-c", "import matplotlib"}).ok()) complain_of_matplotlib();
}

void add_plot(CLI::App& program, action& chosen) {
    CLI::App* command = program.add_subcommand("plot", "Draw the figures of bench: speed relative to each peer, shape by shape");
    static plot_options o;
    command->add_option("FIGURES", o.input, "What kittens bench --json FILE has written")->required()->type_name("FILE");
    command->add_option("-o,--output", o.output, "The picture: .png or .svg")->required()->type_name("FILE");
    command->add_option("--against", o.peers, "Only these peers, separated by commas")->type_name("PEERS");
    command->callback([&chosen] { chosen = [] { return plot(o); }; });
}

}  // namespace kittens::tool
