// SPDX-License-Identifier: Apache-2.0
#include "emulated_command.hpp"

#include <kittens/runtime/error.hpp>

#include <fmt/format.h>

#include <algorithm>

namespace kittens::detail {

namespace {

/// Without kernel and workgroup, which kernel_error names.
std::string short_text(const emulated::fault& f) {
    std::string s = fmt::format("{}: {}", emulated::name(f.kind), f.operation);
    if (!f.tile.empty()) s += fmt::format(" of {}", f.tile);
    if (f.has_coordinate)
        s += fmt::format(" at {{{}, {}, {}, {}}}", f.coordinate[0], f.coordinate[1], f.coordinate[2], f.coordinate[3]);
    s += fmt::format(": {} (subgroup {}", f.message, f.subgroup);
    if (f.lane >= 0) s += fmt::format(" lane {}", f.lane);
    s += ")";
    if (!f.source.empty()) s += " " + f.source;
    return s;
}

class emulated_command final : public host_command {
public:
    emulated_command(std::shared_ptr<host_core> core, const kernel_record& kernel, const launch_shape& shape,
                     const void* args, std::size_t bytes, bool caller_waits, const emulated::options& options)
        : host_command(std::move(core), workgroups_of(shape), caller_waits),
          kernel_(kernel),
          args_(args, bytes) {
        launch_.kernel = kernel.name;
        std::copy_n(shape.groups, 3, launch_.groups);
        launch_.subgroups = shape.subgroups;
        launch_.slm_bytes = shape.slm_bytes;
        launch_.args = args_.data();
        launch_.entry = kernel.entry;
        launch_.options = options;
        report_.kernel = kernel.name;
    }

    const emulated::launch_report* report() const override { return done() ? &report_ : nullptr; }

protected:
    std::uint64_t execute(host_worker&) override {
        std::uint64_t first = 0, last = 0, count = 0;
        emulated::launch_report mine;
        for (; claim(first, last); count += last - first) {
            if (failed()) continue;
            try {
                mine.merge(emulated::run(launch_, static_cast<long>(first), static_cast<long>(last)));
            } catch (const std::exception& e) {
                fail(std::make_exception_ptr(kernel_error(kernel_.name, kernel_.target, {-1, -1, -1}, e.what())));
            }
        }
        // Whoever comes too late to claim anything must not touch what may already be read.
        if (count == 0) return 0;
        const std::lock_guard guard(lock_);
        report_.merge(mine);
        return count;
    }

    void finish() override {
        if (report_.faults.empty()) return;
        report_.locate();
        const auto error = std::find_if(report_.faults.begin(), report_.faults.end(),
                                        [](const auto& f) { return !emulated::is_advice(f.kind); });
        if (error == report_.faults.end()) return;
        std::vector<std::string> lines;
        for (const bool advice : {false, true})
            for (const emulated::fault& f : report_.faults)
                if (emulated::is_advice(f.kind) == advice) lines.push_back(f.text());
        std::string detail = short_text(*error);
        if (lines.size() > 1) detail += fmt::format(" [{} reports in all]", lines.size());
        throw kernel_error(kernel_.name, kernel_.target, error->workgroup, detail, std::move(lines));
    }

private:
    const kernel_record kernel_;
    const argument_block args_;
    emulated::launch launch_;
    std::mutex lock_;
    emulated::launch_report report_;
};

}  // namespace

command_ptr make_emulated_command(std::shared_ptr<host_core> core, const kernel_record& kernel,
                                  const launch_shape& shape, const void* args, std::size_t bytes, bool caller_waits,
                                  const emulated::options& options) {
    return std::make_shared<emulated_command>(std::move(core), kernel, shape, args, bytes, caller_waits, options);
}

}  // namespace kittens::detail
