// SPDX-License-Identifier: Apache-2.0
#include "launches.hpp"

#include "counters.hpp"
#include "progress.hpp"

#include <kittens/target/emulated/report.hpp>

#include <algorithm>
#include <chrono>

namespace kittens::tool {

namespace {

void take_report(launches& to, const emulated::launch_report& report) {
    to.counters = to_json(report.count);
    to.steps = report.count.steps;
    to.workgroups = report.count.workgroups;
    to.prefetched_bytes = report.count.prefetched_bytes;
    to.advice.clear();
    to.reports = report.faults;
    for (const emulated::fault& f : report.faults)
        if (emulated::is_advice(f.kind)) to.advice.push_back(f.text());
}

}  // namespace

launches run_repeatedly(queue& on, const kernel_record& kernel, const void* args, std::size_t bytes, int repeat,
                        const std::function<void()>& prepare) {
    launches result;
    result.clock = "host";
    const int warm_up = repeat > 1 ? 1 : 0;
    progress bar(kernel.name, static_cast<std::uint64_t>(repeat + warm_up));
    for (int i = 0; i < repeat + warm_up; ++i) {
        prepare();
        event done;
        try {
            const auto start = std::chrono::steady_clock::now();
            if (on.where().target() == "emulated") {
                // The report outlives a wait that throws.
                done = on.launch(kernel, args, bytes);
                done.wait();
            } else done = on.run(kernel, args, bytes);
            double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
            // A device's own clock leaves out the way to it and back; on the host that way is part of the work.
            if (const auto told = done.seconds(); told && on.where().target() == "xe")
                seconds = *told, result.clock = "device";
            if (i >= warm_up) result.seconds.push_back(seconds);
        } catch (const kernel_error& e) {
            result.failure = e.what();
            result.faults = e.reports();
            if (const auto* report = done.report()) result.reports = report->faults;
            return result;
        }
        if (const auto* report = done.report()) take_report(result, *report);
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
