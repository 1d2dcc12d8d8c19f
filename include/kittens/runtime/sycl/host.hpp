// SPDX-License-Identifier: Apache-2.0
// Kernels of the cpu target as commands of a SYCL queue. Included by runtime/sycl.hpp.
#pragma once

#include <kittens/runtime/queue.hpp>
#include <kittens/runtime/sycl/device.hpp>

#include <cstring>
#include <memory>

namespace kittens::sycl_backend::detail {

/// A launch whose arguments outlive the caller's.
class host_launch {
public:
    host_launch(const device& where, const kernel_record& record, const void* args, std::size_t bytes)
        : where_(where),
          record_(&record),
          args_(new std::byte[bytes]),
          bytes_(bytes) {
        std::memcpy(args_.get(), args, bytes);
    }

    /// Executes the grid on the host back end's threads and this one. Throws what the kernel throws.
    void operator()() const {
        // A queue for each launch: those of different SYCL queues run side by side.
        queue own(where_);
        own.run(*record_, args_.get(), bytes_);
    }

private:
    device where_;
    const kernel_record* record_;
    std::shared_ptr<std::byte[]> args_;
    std::size_t bytes_;
};

struct no_work {
    void operator()() const {}
};
template <class Handler>
concept has_host_task = requires(Handler& h) { h.host_task(no_work{}); };

/// Puts `work` into the command group, to be executed by a thread of the host when its dependencies are complete.
template <class Handler, class Work> void add_host_work(Handler& h, Work work) {
    if constexpr (has_host_task<Handler>) {
        h.host_task([work] { work(); });
    } else {
#if defined(SYCL_IMPLEMENTATION_ACPP)
        // AdaptiveCpp has no host tasks. On its CPU devices a custom operation is executed by the queue's own thread, in
        // order, which is what a host task would be. An exception must not leave that thread.
        h.AdaptiveCpp_enqueue_custom_operation([work](::sycl::interop_handle&) {
            try {
                work();
            } catch (const std::exception& e) {
                ::hipsycl::rt::register_error(
                    ::hipsycl::rt::source_location{"kittens::sycl_backend::launch", __FILE__, __LINE__},
                    ::hipsycl::rt::error_info{e.what()});
            }
        });
#else
        static_assert(has_host_task<Handler>,
                      "kittens::sycl_backend: this SYCL implementation has no host tasks (SYCL 2020, 4.10)");
#endif
    }
}

inline ::sycl::event launch_on_host(::sycl::queue& on, const device& where, const kernel_record& record,
                                    const void* args, std::size_t bytes, const std::vector<::sycl::event>& depends_on) {
    // What can be known to be wrong is reported to the caller, not to the queue's handler later.
    checked_shape(where, record, args);
    const host_launch work(where, record, args, bytes);
    return on.submit([&](::sycl::handler& h) {
        h.depends_on(depends_on);
        add_host_work(h, work);
    });
}

}  // namespace kittens::sycl_backend::detail
