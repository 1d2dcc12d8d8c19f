// SPDX-License-Identifier: Apache-2.0
// The host back end: devices, memory and commands of the cpu target and of the emulator.
#include "emulated_command.hpp"
#include "host_command.hpp"
#include "host_machine.hpp"
#include "host_worker.hpp"

#include <kittens/runtime/cpu_isa.hpp>
#include <kittens/target/emulated/engine.hpp>

#include <fmt/format.h>

#include <sys/mman.h>
#include <algorithm>
#include <cstdlib>
#include <cstring>

namespace kittens::detail {

namespace {

std::uint64_t next_epoch() {
    static std::atomic<std::uint64_t> epoch{0};
    return ++epoch;
}

class cpu_kernel_command final : public host_command {
public:
    cpu_kernel_command(std::shared_ptr<host_core> core, const kernel_record& kernel, const launch_shape& shape,
                       const void* args, std::size_t bytes, bool caller_waits)
        : host_command(std::move(core), workgroups_of(shape), caller_waits),
          kernel_(kernel),
          shape_(shape),
          args_(args, bytes),
          epoch_(next_epoch()) {}

protected:
    std::uint64_t execute(host_worker& worker) override {
        return worker.run({*this, kernel_, shape_, args_.data(), epoch_});
    }

private:
    const kernel_record kernel_;
    const launch_shape shape_;
    const argument_block args_;
    const std::uint64_t epoch_;
};

/// A copy or a fill, cut into blocks that several threads can take.
class memory_command final : public host_command {
public:
    memory_command(std::shared_ptr<host_core> core, void* to, const void* from, unsigned char value, std::size_t bytes)
        : host_command(std::move(core), std::max<std::size_t>(1, (bytes + block - 1) / block), false),
          to_(static_cast<char*>(to)),
          from_(static_cast<const char*>(from)),
          value_(value),
          bytes_(bytes) {}

protected:
    std::uint64_t execute(host_worker&) override {
        std::uint64_t first = 0, last = 0, count = 0;
        for (; claim(first, last); count += last - first) {
            const std::size_t begin = first * block, size = std::min<std::size_t>(last * block, bytes_) - begin;
            if (size == 0) continue;  // pointers may be null then
            if (from_) std::memcpy(to_ + begin, from_ + begin, size);
            else std::memset(to_ + begin, value_, size);
        }
        return count;
    }

private:
    static constexpr std::size_t block = std::size_t{256} << 10;
    char* const to_;
    const char* const from_;
    const unsigned char value_;
    const std::size_t bytes_;
};

class host_queue final : public queue_state {
public:
    explicit host_queue(const device& where) : queue_state(where), core_(std::make_shared<host_core>()) {}
    ~host_queue() override {
        core_->wait_all();
        core_->stop();
    }

    event_ptr launch(const kernel_record& kernel, const launch_shape& shape, const void* args, std::size_t bytes,
                     bool caller_waits) override {
        if (where().target() == "emulated")
            return submit(make_emulated_command(core_, kernel, shape, args, bytes, caller_waits, emulation_));
        return submit(std::make_shared<cpu_kernel_command>(core_, kernel, shape, args, bytes, caller_waits));
    }
    event_ptr copy(void* to, const void* from, std::size_t bytes) override {
        return submit(std::make_shared<memory_command>(core_, to, from, static_cast<unsigned char>(0), bytes));
    }
    event_ptr fill(void* to, unsigned char value, std::size_t bytes) override {
        return submit(std::make_shared<memory_command>(core_, to, nullptr, value, bytes));
    }
    void emulate_with(const emulated::options& options) override { emulation_ = options; }
    void wait() override {
        core_->wait_all();
        if (const auto failure = core_->take_failure()) std::rethrow_exception(failure);
    }

private:
    event_ptr submit(command_ptr command) {
        core_->submit(command);
        return command;
    }

    std::shared_ptr<host_core> core_;
    emulated::options emulation_;
};

class host_backend : public backend {
public:
    using backend::backend;

    void* allocate(std::uint64_t bytes, memory_kind) override {
        constexpr std::uint64_t huge_page = std::uint64_t{2} << 20;
        void* p = nullptr;
        const bool huge = bytes >= 2 * huge_page && !is_emulator();
        if (posix_memalign(&p, huge ? huge_page : 64, std::max<std::uint64_t>(bytes, 1) + 2 * zone()) != 0)
            throw memory_error(fmt::format("cannot allocate {}", size_text(bytes)), "use a smaller problem");
        if (huge) madvise(p, bytes, MADV_HUGEPAGE);
        p = static_cast<char*>(p) + zone();
        if (is_emulator()) emulated::register_allocation(p, bytes);
        return p;
    }
    void deallocate(void* pointer) noexcept override {
        if (is_emulator()) emulated::unregister_allocation(pointer);
        std::free(static_cast<char*>(pointer) - zone());
    }
    std::uint64_t available_memory() const override { return available_host_memory(); }
    std::shared_ptr<queue_state> make_queue(const device& self) override { return std::make_shared<host_queue>(self); }

private:
    /// Bytes around an allocation of the emulator that belong to none: what is outside of it by less is never inside its
    /// neighbour, and always reported.
    std::size_t zone() const { return is_emulator() ? std::size_t{64} << 10 : 0; }
    bool is_emulator() const { return properties().target == "emulated"; }
};

device_properties host_properties() {
    device_properties p;
    const auto& cpu = cpu_features();
    p.backend = "host";
    p.name = cpu.name.empty() ? "x86-64 processor" : cpu.name;
    p.vendor = cpu.vendor;
    p.driver_version = operating_system();
    p.cores = physical_cores();
    p.threads = host_threads();
    p.caches = cpu_caches();
    p.memory_bytes = p.max_allocation_bytes = total_host_memory();
    p.subgroup_sizes = {16};
    return p;
}

}  // namespace

std::vector<device> host_devices() {
    std::vector<device> found;
    const auto levels = usable_cpu_isas();
    for (auto level = levels.rbegin(); level != levels.rend(); ++level) {
        device_properties p = host_properties();
        p.target = "cpu";
        p.isa = to_string(*level);
        p.extensions = cpu_features().features;
        // Nothing but memory limits a workgroup here; these keep its stacks and its shared memory within reason.
        p.max_subgroups = 128;
        p.slm_bytes = std::size_t{16} << 20;
        found.emplace_back(std::make_shared<host_backend>("cpu:" + p.isa, std::move(p)));
    }
    device_properties p = host_properties();
    p.target = "emulated";
    p.name = "Instruction model of Intel GPUs on " + p.name;
    p.vendor = "SyclKittens";
    p.max_subgroups = gpu_max_subgroups;
    p.slm_bytes = gpu_slm_bytes;
    found.emplace_back(std::make_shared<host_backend>("emulated", std::move(p)));
    return found;
}

}  // namespace kittens::detail
