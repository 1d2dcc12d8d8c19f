// SPDX-License-Identifier: Apache-2.0
// What a back end provides. The public handles (device, queue, event) only forward to it.
#pragma once

#include <kittens/runtime/device.hpp>
#include <kittens/runtime/memory.hpp>
#include <kittens/runtime/queue.hpp>

#include <memory>
#include <optional>

namespace kittens::detail {

class event_state {
public:
    virtual ~event_state() = default;
    virtual void wait() = 0;
    virtual bool done() const = 0;
    virtual std::optional<double> seconds() const = 0;
    virtual const emulated::launch_report* report() const { return nullptr; }
};

using event_ptr = std::shared_ptr<event_state>;

/// One queue. Its destructor waits for everything submitted and throws nothing.
class queue_state {
public:
    explicit queue_state(device where) : where_(std::move(where)) {}
    virtual ~queue_state() = default;
    queue_state(const queue_state&) = delete;
    queue_state& operator=(const queue_state&) = delete;

    const device& where() const noexcept { return where_; }

    /// `shape` has been checked. `caller_waits`: the calling thread is about to wait for the result.
    virtual event_ptr launch(const kernel_record& kernel, const launch_shape& shape, const void* args,
                             std::size_t bytes, bool caller_waits) = 0;
    virtual event_ptr copy(void* to, const void* from, std::size_t bytes) = 0;
    virtual event_ptr fill(void* to, unsigned char value, std::size_t bytes) = 0;
    virtual void wait() = 0;
    virtual void emulate_with(const emulated::options&) {}

private:
    device where_;
};

class backend {
public:
    backend(std::string id, device_properties properties) : properties_(std::move(properties)), id_(std::move(id)) {}
    virtual ~backend() = default;
    backend(const backend&) = delete;
    backend& operator=(const backend&) = delete;

    const device_properties& properties() const noexcept { return properties_; }
    const std::string& id() const noexcept { return id_; }

    virtual void* allocate(std::uint64_t bytes, memory_kind kind) = 0;
    virtual void deallocate(void* pointer) noexcept = 0;
    virtual std::uint64_t available_memory() const = 0;
    virtual std::shared_ptr<queue_state> make_queue(const device& self) = 0;

private:
    const device_properties properties_;
    const std::string id_;
};

/// What a workgroup may have on the GPUs that kernels are written for (Max 1550, Xe2, Crescent Island): the emulator's
/// limits, and an upper bound on what a more generous OpenCL device is taken to allow.
inline constexpr int gpu_max_subgroups = 64;
inline constexpr std::size_t gpu_slm_bytes = std::size_t{128} << 10;

/// cpu at each usable instruction set, best first, then the emulator.
std::vector<device> host_devices();

/// OpenCL devices, GPUs first. What stands in the way of (more of) them is appended to `missing`.
std::vector<device> opencl_devices(std::vector<missing_part>& missing);

/// "1.5 GiB".
std::string size_text(std::uint64_t bytes);

}  // namespace kittens::detail
