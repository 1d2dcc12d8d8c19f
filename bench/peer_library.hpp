// SPDX-License-Identifier: Apache-2.0
// Peers: loading their plug-ins, and what is missing for those that are not here.
#pragma once

#include "peers/peer.h"

#include <kittens/base/types.hpp>

#include <filesystem>
#include <memory>
#include <stdexcept>
#include <string>
#include <vector>

namespace kittens::bench {

/// A peer that cannot be measured here. `what()` says why, `command()` how to get it.
class missing_peer : public std::runtime_error {
public:
    missing_peer(std::string name, const std::string& why, std::string command)
        : std::runtime_error(why), name_(std::move(name)), command_(std::move(command)) {}
    const std::string& name() const noexcept { return name_; }
    const std::string& command() const noexcept { return command_; }

private:
    std::string name_, command_;
};

/// A product that a peer does not have. `what()` is the peer's own line.
class unsupported_by_peer : public std::runtime_error {
public:
    using std::runtime_error::runtime_error;
};

/// One matrix product that a peer has made ready. The peer must outlive it.
class peer_gemm {
public:
    peer_gemm(const kittens_peer_api& api, const kittens_peer_gemm& problem);

    /// Throws std::runtime_error where the library fails.
    void run();
    std::string implementation() const { return api_->describe(state_.get()); }

private:
    const kittens_peer_api* api_;
    std::unique_ptr<void, void (*)(void*)> state_;
};

class peer {
public:
    /// Loads the plug-in. Throws missing_peer.
    peer(const std::string& name, const std::filesystem::path& folder);

    const std::string& name() const noexcept { return name_; }
    std::string version() const { return api_->version(); }
    std::string isa() const { return api_->isa(); }

    /// Throws unsupported_by_peer, or std::runtime_error where something goes wrong.
    peer_gemm prepare(const kittens_peer_gemm& problem) const { return {*api_, problem}; }

private:
    std::string name_;
    const kittens_peer_api* api_ = nullptr;
};

/// The peers that the project knows, strongest first.
std::vector<std::string> peer_names();

/// Where plug-ins are: KITTENS_PEERS_DIR, or lib/kittens/peers beside the folder of the program.
std::filesystem::path peer_folder();

kittens_peer_dtype peer_dtype(dtype type);

}  // namespace kittens::bench
