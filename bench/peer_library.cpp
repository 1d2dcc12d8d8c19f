// SPDX-License-Identifier: Apache-2.0
#include "peer_library.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <dlfcn.h>

namespace kittens::bench {

namespace {

/// The command that brings what a peer needs, and builds its plug-in.
std::string install_command(const std::string& name) {
    if (name == "openblas") return "scripts/setup.sh --only apt && scripts/build.sh";
    if (name == "mkl") return "scripts/setup.sh --only mkl";
    return fmt::format("scripts/setup.sh --only {} && scripts/build.sh", name);
}

}  // namespace

peer_gemm::peer_gemm(const kittens_peer_api& api, const kittens_peer_gemm& problem)
    : api_(&api), state_(nullptr, api.destroy) {
    void* state = nullptr;
    char message[512] = "";
    switch (api.prepare(&problem, &state, message, sizeof message)) {
    case KITTENS_PEER_OK: state_.reset(state); return;
    case KITTENS_PEER_UNSUPPORTED: throw unsupported_by_peer(message);
    default: throw std::runtime_error(fmt::format("{}: {}", api.name, message));
    }
}

void peer_gemm::run() {
    if (api_->run(state_.get()) != 0) throw std::runtime_error(fmt::format("{} failed while it was run", api_->name));
}

peer::peer(const std::string& name, const std::filesystem::path& folder) : name_(name) {
    const std::filesystem::path file = folder / (name + ".so");
    std::error_code ignored;
    if (!std::filesystem::exists(file, ignored))
        throw missing_peer(name, "not installed when this program was built", install_command(name));
    // Never closed: thread pools of such libraries do not survive that.
    void* library = dlopen(file.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (!library) throw missing_peer(name, fmt::format("its plug-in does not load ({})", dlerror()), install_command(name));
    using entry_t = const kittens_peer_api* (*)();
    const auto entry = reinterpret_cast<entry_t>(dlsym(library, "kittens_peer"));
    api_ = entry ? entry() : nullptr;
    if (!api_ || api_->abi != KITTENS_PEER_ABI)
        throw missing_peer(name, "its plug-in was built for another version of this program", "scripts/build.sh");
    if (const char* why = api_->unavailable()) throw missing_peer(name, why, install_command(name));
}

std::vector<std::string> peer_names() { return {"onednn", "torch", "mkl", "openblas"}; }

std::filesystem::path peer_folder() {
    if (const char* given = std::getenv("KITTENS_PEERS_DIR"); given && *given) return given;
    std::error_code ignored;
    return std::filesystem::read_symlink("/proc/self/exe", ignored).parent_path().parent_path() / "lib/kittens/peers";
}

kittens_peer_dtype peer_dtype(dtype type) {
    switch (type) {
    case dtype::f32: return KITTENS_PEER_FP32;
    case dtype::bf16: return KITTENS_PEER_BF16;
    case dtype::f16: return KITTENS_PEER_FP16;
    case dtype::i8: return KITTENS_PEER_INT8;
    case dtype::i32: return KITTENS_PEER_INT32;
    default: throw std::invalid_argument(fmt::format("no peer multiplies {}", name_of(type)));
    }
}

}  // namespace kittens::bench
