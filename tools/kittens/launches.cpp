// SPDX-License-Identifier: Apache-2.0
#include "launches.hpp"

#include "counters.hpp"
#include "progress.hpp"

#include <kittens/target/emulated/report.hpp>

#include <algorithm>
#include <chrono>

namespace kittens::tool {

namespace {

/// Counters of the first of several launches, reports of all.
void take_report(launches& to, const emulated::launch_report& report, bool first) {
    if (first) {
        to.counters = to_json(report.count);
        to.steps = report.count.steps;
        to.workgroups = report.count.workgroups;
        to.prefetched_bytes = report.count.prefetched_bytes;
    }
    to.reports.insert(to.reports.end(), report.faults.begin(), report.faults.end());
    for (const emulated::fault& f : report.faults)
        if (emulated::is_advice(f.kind)) to.advice.push_back(f.text());
}

}  // namespace

launches run_repeatedly(queue& on, const kernel_record& kernel, const void* args, std::size_t bytes, int repeat,
                        const std::function<void()>& prepare) {
    const auto* p = static_cast<const std::byte*>(args);
    return run_repeatedly(on, {launch_step{&kernel, {p, p + bytes}}}, repeat, prepare);
}

launches run_repeatedly(queue& on, const std::vector<launch_step>& steps, int repeat, const std::function<void()>& prepare) {
    launches result;
    result.clock = "host";
    const int warm_up = repeat > 1 ? 1 : 0;
    progress bar(steps.front().kernel->name, static_cast<std::uint64_t>(repeat + warm_up));
    for (int i = 0; i < repeat + warm_up; ++i) {
        prepare();
        double seconds = 0;
        launches seen;
        for (const launch_step& step : steps) {
            event done;
            try {
                const auto start = std::chrono::steady_clock::now();
                if (on.where().target() == "emulated") {
                    // The report outlives a wait that throws.
                    done = on.launch(*step.kernel, step.args.data(), step.args.size());
                    done.wait();
                } else done = on.run(*step.kernel, step.args.data(), step.args.size());
                const double host_seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
                // A device's own clock leaves out the way to it and back; on the host that way is part of the work.
                const auto told = done.seconds();
                const bool by_device = told && on.where().target() == "xe";
                seconds += by_device ? *told : host_seconds;
                if (by_device) result.clock = "device";
            } catch (const kernel_error& e) {
                result.failure = e.what();
                result.faults = e.reports();
                if (const auto* report = done.report()) result.reports = report->faults;
                return result;
            }
            if (const auto* report = done.report()) take_report(seen, *report, &step == &steps.front());
        }
        if (i >= warm_up) result.seconds.push_back(seconds);
        if (on.where().target() == "emulated") {
            seen.seconds = std::move(result.seconds);
            seen.clock = result.clock;
            result = std::move(seen);
        }
        bar.advance();
    }
    return result;
}

double median(std::vector<double> values) {
    std::sort(values.begin(), values.end());
    const std::size_t n = values.size();
    return n % 2 ? values[n / 2] : (values[n / 2 - 1] + values[n / 2]) / 2;
}

}  // namespace kittens::tool
