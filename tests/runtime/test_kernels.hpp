// SPDX-License-Identifier: Apache-2.0
// Hand-written kernels: plain functions that do with their context what compiled kernels do.
#pragma once

#include <kittens/base/host_context.hpp>
#include <kittens/base/launch.hpp>
#include <kittens/runtime/runtime.hpp>

#include <gtest/gtest.h>

#include <cstdlib>
#include <string>

/// Globals of every test kernel: its launch shape, a body, and somewhere to write.
struct probe_args {
    kittens::launch_shape shape;
    void (*body)(const probe_args&, kittens::host_context&);
    int* out = nullptr;
    void* more = nullptr;
};

inline void probe_entry(const void* args, void* context) {
    const auto& a = *static_cast<const probe_args*>(args);
    a.body(a, *static_cast<kittens::host_context*>(context));
}

inline const kittens::kernel_record probe_kernel{
    "probe",
    "cpu",
    "avx2",
    probe_entry,
    [](const void* args) { return static_cast<const probe_args*>(args)->shape; },
    sizeof(probe_args),
    {},
    nullptr};

/// Index of the subgroup in the whole grid.
inline long linear_subgroup(const kittens::host_context& c) {
    const long group = (static_cast<long>(c.group[2]) * c.groups[1] + c.group[1]) * c.groups[0] + c.group[0];
    return group * c.subgroups + c.subgroup;
}

/// Sets an environment variable for the life of the object.
class scoped_env {
public:
    scoped_env(const char* name, const char* value) : name_(name) {
        if (const char* old = std::getenv(name)) old_ = old, had_ = true;
        setenv(name, value, 1);
    }
    ~scoped_env() {
        if (had_) setenv(name_, old_.c_str(), 1);
        else unsetenv(name_);
    }

private:
    const char* name_;
    std::string old_;
    bool had_ = false;
};

/// Why `target` cannot run here, or "". Where KITTENS_REQUIRE_OPENCL is 1, an absent OpenCL device is a failure.
inline std::string why_absent(const std::string& target) {
    try {
        kittens::find_device(target);
        return "";
    } catch (const kittens::device_error& e) {
        const char* required = std::getenv("KITTENS_REQUIRE_OPENCL");
        if (target == "xe" && required && std::string(required) == "1") ADD_FAILURE() << e.what();
        return e.what();
    }
}
