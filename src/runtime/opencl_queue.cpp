// SPDX-License-Identifier: Apache-2.0
#include "opencl_backend.hpp"

#include <kittens/runtime/error.hpp>

#include <fmt/format.h>

#include <deque>
#include <tuple>

namespace kittens::detail {

namespace {

class opencl_event final : public event_state {
public:
    opencl_event(std::shared_ptr<opencl_backend> backend, cl_event event, std::string command)
        : backend_(std::move(backend)),
          event_(event),
          command_(std::move(command)) {}
    ~opencl_event() override { backend_->api().ReleaseEvent(event_); }
    opencl_event(const opencl_event&) = delete;
    opencl_event& operator=(const opencl_event&) = delete;

    void wait() override {
        const cl_int code = backend_->api().WaitForEvents(1, &event_);
        if (const cl_int failed = status(); failed < 0)
            throw kernel_error(command_, "xe", {-1, -1, -1},
                               fmt::format("device {} reports {}", backend_->id(), opencl_error_name(failed)));
        if (code != CL_SUCCESS)
            throw device_error(
                fmt::format("device {} cannot wait for {}: {}", backend_->id(), command_, opencl_error_name(code)));
    }
    bool done() const override { return status() <= CL_COMPLETE; }
    std::optional<double> seconds() const override {
        cl_ulong begin = 0, end = 0;
        if (status() != CL_COMPLETE) return std::nullopt;
        const auto& cl = backend_->api();
        if (cl.GetEventProfilingInfo(event_, CL_PROFILING_COMMAND_START, sizeof begin, &begin, nullptr) != CL_SUCCESS)
            return std::nullopt;
        if (cl.GetEventProfilingInfo(event_, CL_PROFILING_COMMAND_END, sizeof end, &end, nullptr) != CL_SUCCESS ||
            end < begin)
            return std::nullopt;
        return static_cast<double>(end - begin) * 1e-9;
    }

private:
    cl_int status() const {
        cl_int value = CL_QUEUED;
        const cl_int code =
            backend_->api().GetEventInfo(event_, CL_EVENT_COMMAND_EXECUTION_STATUS, sizeof value, &value, nullptr);
        return code == CL_SUCCESS ? value : code;
    }

    const std::shared_ptr<opencl_backend> backend_;
    const cl_event event_;
    const std::string command_;
};

class opencl_queue final : public queue_state {
public:
    opencl_queue(const device& where, std::shared_ptr<opencl_backend> backend)
        : queue_state(where),
          backend_(std::move(backend)),
          cl_(backend_->api()) {
        const cl_queue_properties properties[] = {CL_QUEUE_PROPERTIES, CL_QUEUE_PROFILING_ENABLE, 0};
        cl_int code = CL_SUCCESS;
        queue_ = cl_.CreateCommandQueueWithProperties(backend_->context(), backend_->handle(), properties, &code);
        if (code != CL_SUCCESS)
            throw device_error(
                fmt::format("device {} gives no command queue: {}", where.id(), opencl_error_name(code)));
    }
    ~opencl_queue() override {
        cl_.Finish(queue_);
        for (auto& [key, k] : kernels_) cl_.ReleaseKernel(k.handle);
        cl_.ReleaseCommandQueue(queue_);
    }

    event_ptr launch(const kernel_record& record, const launch_shape& shape, const void* args, std::size_t bytes,
                     bool) override {
        const std::lock_guard guard(lock_);
        kernel_state& k = kernel_for(record);
        check_subgroups(k, record, shape.subgroups);
        // The argument is copied by the call; the lock keeps another thread's from coming between.
        cl_int code = cl_.SetKernelArg(k.handle, 0, bytes, args);
        if (code != CL_SUCCESS)
            throw launch_error(fmt::format("device {} does not take {} bytes of globals for kernel {}: {}",
                                           where().id(), bytes, record.name, opencl_error_name(code)),
                               "the kernel and its launcher must be compiled from the same globals type");
        const std::size_t local[3] = {16 * static_cast<std::size_t>(shape.subgroups), 1, 1};
        const std::size_t global[3] = {local[0] * static_cast<std::size_t>(shape.groups[0]),
                                       static_cast<std::size_t>(shape.groups[1]),
                                       static_cast<std::size_t>(shape.groups[2])};
        cl_event event = nullptr;
        code = cl_.EnqueueNDRangeKernel(queue_, k.handle, 3, nullptr, global, local, 0, nullptr, &event);
        if (code != CL_SUCCESS)
            throw launch_error(fmt::format("device {} refuses kernel {}, {} x {} x {} workgroups of {} subgroups: {}",
                                           where().id(), record.name, shape.groups[0], shape.groups[1], shape.groups[2],
                                           shape.subgroups, opencl_error_name(code)));
        return started(event, record.name);
    }

    event_ptr copy(void* to, const void* from, std::size_t bytes) override {
        const std::lock_guard guard(lock_);
        cl_event event = nullptr;
        const cl_int code =
            bytes ? backend_->usm().enqueue_copy(queue_, CL_FALSE, to, from, bytes, 0, nullptr, &event) : marker(event);
        if (code != CL_SUCCESS)
            throw memory_error(
                fmt::format("device {} cannot copy {}: {}", where().id(), size_text(bytes), opencl_error_name(code)));
        return started(event, "copy");
    }

    event_ptr fill(void* to, unsigned char value, std::size_t bytes) override {
        const std::lock_guard guard(lock_);
        cl_event event = nullptr;
        const cl_int code =
            bytes ? backend_->usm().enqueue_fill(queue_, to, &value, 1, bytes, 0, nullptr, &event) : marker(event);
        if (code != CL_SUCCESS)
            throw memory_error(
                fmt::format("device {} cannot fill {}: {}", where().id(), size_text(bytes), opencl_error_name(code)));
        return started(event, "fill");
    }

    void wait() override {
        std::deque<event_ptr> all;
        {
            const std::lock_guard guard(lock_);
            all.swap(outstanding_);
        }
        const cl_int code = cl_.Finish(queue_);
        for (const auto& e : all) e->wait();
        if (code != CL_SUCCESS)
            throw device_error(fmt::format("device {} failed: {}", where().id(), opencl_error_name(code)));
    }

private:
    struct kernel_state {
        cl_kernel handle = nullptr;
        int checked_subgroups = 0;
    };

    kernel_state& kernel_for(const kernel_record& record) {
        const auto key = std::tuple(std::string(record.name), std::string(record.module), record.traits.grf);
        if (const auto found = kernels_.find(key); found != kernels_.end()) return found->second;
        return kernels_.emplace(key, kernel_state{backend_->make_kernel(record), 0}).first->second;
    }

    void check_subgroups(kernel_state& k, const kernel_record& record, int subgroups) {
        if (k.checked_subgroups == subgroups) return;
        const std::size_t local[3] = {16 * static_cast<std::size_t>(subgroups), 1, 1};
        std::size_t limit = 0, size = 0;
        cl_.GetKernelWorkGroupInfo(k.handle, backend_->handle(), CL_KERNEL_WORK_GROUP_SIZE, sizeof limit, &limit,
                                   nullptr);
        if (limit < local[0])
            throw launch_error(fmt::format("kernel {} wants {} subgroups in a workgroup", record.name, subgroups),
                               fmt::format("device {} can run it with at most {}", where().id(), limit / 16));
        const cl_int code =
            cl_.GetKernelSubGroupInfo(k.handle, backend_->handle(), CL_KERNEL_MAX_SUB_GROUP_SIZE_FOR_NDRANGE,
                                      sizeof local, local, sizeof size, &size, nullptr);
        if (code != CL_SUCCESS || size != 16)
            throw launch_error(fmt::format("device {} would run kernel {} in subgroups of {}, not 16", where().id(),
                                           record.name, size));
        k.checked_subgroups = subgroups;
    }

    cl_int marker(cl_event& event) { return cl_.EnqueueMarkerWithWaitList(queue_, 0, nullptr, &event); }

    event_ptr started(cl_event event, std::string command) {
        auto state = std::make_shared<opencl_event>(backend_, event, std::move(command));
        cl_.Flush(queue_);
        while (outstanding_.size() > 64 && outstanding_.front()->done()) outstanding_.pop_front();
        outstanding_.push_back(state);
        return state;
    }

    const std::shared_ptr<opencl_backend> backend_;
    const opencl_api& cl_;
    cl_command_queue queue_ = nullptr;
    std::mutex lock_;
    std::map<std::tuple<std::string, std::string, int>, kernel_state> kernels_;  ///< by name, module, registers
    std::deque<event_ptr> outstanding_;
};

}  // namespace

std::shared_ptr<queue_state> make_opencl_queue(const device& self, std::shared_ptr<opencl_backend> backend) {
    return std::make_shared<opencl_queue>(self, std::move(backend));
}

}  // namespace kittens::detail
