// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <kittens/base/launch.hpp>
#include <kittens/runtime/device.hpp>
#include <kittens/runtime/error.hpp>
#include <kittens/runtime/memory.hpp>

#include <cstddef>
#include <memory>
#include <optional>
#include <string_view>
#include <type_traits>

namespace kittens {

namespace emulated {
struct launch_report;
struct options;
}  // namespace emulated

namespace detail {
class event_state;
class queue_state;
}  // namespace detail

/// Completion of one command of a queue. A cheap handle; a default one is complete.
class event {
public:
    event() = default;
    explicit event(std::shared_ptr<detail::event_state> state) noexcept : state_(std::move(state)) {}

    /// Blocks until the command is complete. Throws what the command failed with: kernel_error, device_error.
    void wait() const;
    /// Whether it is complete, successfully or not.
    bool done() const;
    /// Execution time in seconds, from the first workgroup's start to the last one's end, once complete;
    /// nothing where the device does not tell.
    std::optional<double> seconds() const;
    /// What the emulator counted and found; nullptr on other targets, and before the launch is complete.
    const emulated::launch_report* report() const;

private:
    std::shared_ptr<detail::event_state> state_;
};

/// Commands run in the order in which they were given; different queues run concurrently. A queue may be used by
/// several threads. The destructor waits.
class queue {
public:
    /// Throws device_error where the device cannot make one.
    explicit queue(device where = device());

    const device& where() const noexcept;

    /// Starts `kernel` with a copy of the `bytes` bytes at `args`, its globals. Throws launch_error at once where the
    /// kernel is not for this device or its shape is beyond the device's limits, build_error where the device's
    /// compiler refuses its module; what goes wrong later is thrown by wait.
    event launch(const kernel_record& kernel, const void* args, std::size_t bytes);
    /// launch and wait in one: the caller's thread works too, which saves a wake-up on host back ends.
    event run(const kernel_record& kernel, const void* args, std::size_t bytes);

    /// Sizes in bytes; one side may be ordinary host memory, which must live until the copy is complete.
    event copy(void* to, const void* from, std::size_t bytes);
    event fill(void* to, unsigned char value, std::size_t bytes);

    /// Waits for all commands given so far. Throws the first error that no wait has thrown yet. Commands that stood
    /// behind a failed one were not executed; the queue is usable again after this.
    void wait();

    /// How the emulator runs later launches of this queue (target/emulated/engine.hpp). No effect on other targets.
    void emulate_with(const emulated::options& options);

    /// Throws memory_error where `from` does not fit into `to`.
    template <class T> event copy(const buffer<T>& to, const buffer<T>& from) {
        if (from.bytes() > to.bytes()) throw memory_error("copy: the source buffer is larger than the destination");
        return copy(to.data(), from.data(), from.bytes());
    }
    template <class T> event fill(const buffer<T>& to, unsigned char value) {
        return fill(to.data(), value, to.bytes());
    }
    /// Fills with NaN (floating point) or all ones, so that an element never written shows.
    template <class T> event poison(const buffer<T>& to) { return fill(to, poison_byte); }

private:
    std::shared_ptr<detail::queue_state> state_;
};

/// The kernel `name` for the device: on cpu compiled for the best instruction set that the device allows. Throws
/// launch_error, with the names there are, where this program has none.
const kernel_record& kernel_for(const device& where, std::string_view name);

/// The launch shape of `kernel` for `args`, checked against the limits of the device. Throws launch_error.
launch_shape checked_shape(const device& where, const kernel_record& kernel, const void* args);

/// Starts `kernel` over the grid that it wants for `args`.
template <class Globals> event launch(queue& on, const kernel_record& kernel, const Globals& args) {
    static_assert(std::is_trivially_copyable_v<Globals>,
                  "launch: a kernel's globals are copied bytewise to the device");
    return on.launch(kernel, &args, sizeof args);
}
template <class Globals> event launch(queue& on, std::string_view name, const Globals& args) {
    return launch(on, kernel_for(on.where(), name), args);
}

/// The same, and waits.
template <class Globals> event run(queue& on, const kernel_record& kernel, const Globals& args) {
    static_assert(std::is_trivially_copyable_v<Globals>, "run: a kernel's globals are copied bytewise to the device");
    return on.run(kernel, &args, sizeof args);
}
template <class Globals> event run(queue& on, std::string_view name, const Globals& args) {
    return run(on, kernel_for(on.where(), name), args);
}

}  // namespace kittens
