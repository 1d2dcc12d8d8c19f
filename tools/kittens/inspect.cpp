// SPDX-License-Identifier: Apache-2.0
// kittens inspect: compile a kernel for an Intel GPU now, and read the machine code.
#include "commands.hpp"
#include "console.hpp"
#include "inspect_compare.hpp"
#include "operation.hpp"
#include "ops/operation_report.hpp"
#include "places.hpp"
#include "text.hpp"

#include <kittens/inspect/report.hpp>

#include <fmt/format.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <iterator>

namespace kittens::tool {

namespace {

namespace fs = std::filesystem;

struct inspect_options {
    std::string device, assembly_path, spirv_path, json_path;
    bool ladder = false, loop = false;
    std::vector<std::string> compare;
};

/// A folder for what the compiler writes, gone at the end.
class scratch_folder {
public:
    scratch_folder() {
        std::string name = (fs::temp_directory_path() / "kittens-XXXXXX").string();
        if (!mkdtemp(name.data()))
            throw user_error(fmt::format("cannot make a folder in {}; set TMPDIR to a writable one",
                                         fs::temp_directory_path().string()));
        path_ = name;
    }
    ~scratch_folder() {
        std::error_code error;
        fs::remove_all(path_, error);
    }
    scratch_folder(const scratch_folder&) = delete;
    scratch_folder& operator=(const scratch_folder&) = delete;

    fs::path operator/(const char* name) const { return path_ / name; }

private:
    fs::path path_;
};

std::string content_of(const fs::path& file) {
    std::ifstream in(file, std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
}

int inspect_operation(operation& op, const inspect_options& options) {
    op.check_kernel_options();
    const inspect::gpu gpu = inspect::parse_gpu(options.device);
    const inspect_plan plan = op.inspect();
    const console out(options.json_path);
    std::optional<output_file> assembly, spirv;
    if (!options.assembly_path.empty()) assembly.emplace(options.assembly_path, "--asm");
    if (!options.spirv_path.empty()) spirv.emplace(options.spirv_path, "--spirv");

    const scratch_folder scratch;
    inspect::inspect_options request = compile_request(plan, gpu);
    request.save_spirv = scratch / "kernel.spv";
    request.save_assembly = scratch / "kernel.asm";
    const inspect::report report = inspect::run(request);

    json document{{"kernel", op.name()}, {"policy", plan.policy}, {"dtype", plan.type}};
    document.update(json::parse(inspect::to_json(report)));
    out.print(inspect::to_text(report));
    if (options.loop)
        for (const auto& kernel : report.kernels) out.print("\n" + inspect::annotated_main_loop(kernel));
    if (assembly) assembly->write(content_of(request.save_assembly));
    if (spirv) spirv->write(content_of(request.save_spirv));
    out.write(document);
    return status_ok;
}

/// --ladder and --compare.
int inspect_policies(operation& op, const inspect_options& options) {
    op.check_kernel_options();
    const inspect::gpu gpu = inspect::parse_gpu(options.device.empty() ? "pvc" : options.device);
    std::vector<std::pair<std::string, std::string>> policies;
    if (options.ladder) policies = op.ladder();
    else
        for (const auto& name : options.compare) policies.emplace_back(name, "");
    const console out(options.json_path);
    const auto compared = compare_policies(op, policies, gpu);
    const json first = json::parse(inspect::to_json(compared.front().report));
    out.print(fmt::format("{} on {}, nothing of it run on a GPU\n\n", op.name(), inspect::gpu_name(gpu)));
    out.print(to_text(compared));
    if (options.loop)
        for (const auto& p : compared) out.print(fmt::format("\nmain loop of {}\n{}", p.name, inspect::annotated_main_loop(p.report.kernels[0])));
    out.write({{"kernel", op.name()}, {"device", first["device"]}, {"compiler", first["compiler"]}, {"policies", to_json(compared)}});
    return status_ok;
}

int inspect_all_operations(const inspect_options& options) {
    const inspect::gpu gpu = inspect::parse_gpu(options.device);
    const console out(options.json_path);
    const source_places places = find_sources();
    const operations_report report = compile_operations(gpu, places.include, places.freestanding);
    out.print(to_text(report));
    out.write(to_json(report));
    return status_ok;
}

}  // namespace

void add_inspect(CLI::App& program, action& chosen) {
    CLI::App* command =
        program.add_subcommand("inspect", "Compile a kernel for an Intel GPU and read its machine code; needs no GPU");
    command->require_subcommand(0, 1);
    static inspect_options options;
    static bool all_operations = false;
    command->add_flag("--ops", all_operations,
                      "Every tile operation, one small kernel each, instead of a kernel of the suite");
    command->add_option("--device", options.device, "With --ops: pvc (Max 1550), bmg (Xe2) or cri (Crescent Island)")
        ->type_name("GPU");
    add_json_option(*command, options.json_path);
    command->callback([&chosen, command] {
        const bool named = !command->get_subcommands().empty();
        if (named && all_operations)
            throw user_error("--ops inspects the tile operations, not a kernel: give one or the other");
        if (named) return;
        if (!all_operations)
            throw user_error(
                "the kernel is missing; name one (kittens inspect --help), or give --ops for the tile operations");
        if (options.device.empty()) throw user_error("--device is missing: pvc, bmg or cri");
        chosen = [] { return inspect_all_operations(options); };
    });
    for (const auto& op : operations()) {
        CLI::App* sub = command->add_subcommand(op->name(), op->summary());
        sub->add_option("--device", options.device, "pvc (Max 1550), bmg (Xe2) or cri (Crescent Island)")
            ->type_name("GPU");
        op->add_kernel_options(*sub);
        sub->add_flag("--loop", options.loop, "Print the main loop, with what each send is for");
        if (!op->ladder().empty()) {
            sub->add_flag("--ladder", options.ladder, "The policies that build up to the default one, side by side (device: pvc if not given)");
            sub->add_option("--compare", options.compare, "Two policies side by side (device: pvc if not given)")->type_name("A B")->expected(2);
        }
        sub->add_option("--asm", options.assembly_path, "Write the assembly text there")->type_name("FILE");
        sub->add_option("--spirv", options.spirv_path, "Write the SPIR-V module there")->type_name("FILE");
        add_json_option(*sub, options.json_path);
        sub->callback([&chosen, &op, sub] {
            const bool several = options.ladder || !options.compare.empty();
            if (!several && options.device.empty()) throw user_error("--device is missing: pvc, bmg or cri");
            if (options.ladder && !options.compare.empty()) throw user_error("--ladder and --compare exclude each other: give one");
            for (const char* single : {"--policy", "--asm", "--spirv"})
                if (several && sub->get_option_no_throw(single) && sub->count(single) > 0)
                    throw user_error(fmt::format("{} is for a single policy: leave it out beside {}", single, options.ladder ? "--ladder" : "--compare"));
            chosen = [&op, several] { return several ? inspect_policies(*op, options) : inspect_operation(*op, options); };
        });
    }
}

}  // namespace kittens::tool
