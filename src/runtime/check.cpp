// SPDX-License-Identifier: Apache-2.0
#include <kittens/runtime/check.hpp>

namespace kittens {

emulated::launch_report check(queue& on, const kernel_record& kernel, const void* args, std::size_t bytes) {
    if (on.where().target() != "emulated")
        throw launch_error("check: kernels are checked by the emulator, and this queue is for " + on.where().id(),
                           "make the queue with find_device(\"emulated\")");
    const event done = on.launch(kernel, args, bytes);
    try {
        done.wait();
    } catch (const kernel_error&) {
        // What was found is in the report; a launch that failed without a fault has none.
        if (done.report() == nullptr || done.report()->clean()) throw;
    }
    return *done.report();
}

}  // namespace kittens
