// SPDX-License-Identifier: Apache-2.0
// What torch.compile makes of an operator: its compiler (Inductor) is run ahead of time by compile_operators.py, once for
// each operator and kind of problem, and the result is called through libtorch into given outputs. The code is that of
// torch.compile; the guards and calls that Python adds to each run are left out, in the peer's favour.
#include "torch_tensors.hpp"

#include <ATen/Parallel.h>
#include <ATen/Version.h>
#include <c10/core/InferenceMode.h>
#include <torch/csrc/inductor/aoti_package/model_package_loader.h>
#include <torch/version.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <memory>
#include <set>
#include <sstream>
#include <sys/wait.h>
#include <unistd.h>

namespace {

using namespace kittens::peers;
namespace fs = std::filesystem;

/// Tensors whose first size may be any in a compiled function, if they agree in it.
bool row_wise(const std::string& operation) {
    static const std::set<std::string> all = {"rms_norm", "layer_norm", "rotary", "swiglu", "swiglu_packed", "swiglu_interleaved", "softmax", "argmax"};
    return all.count(operation) > 0;
}
bool per_column(const std::string& tensor) { return tensor == "weight" || tensor == "bias"; }

std::string specification(const kittens_operator_problem& p) {
    std::ostringstream text;
    text.precision(17);
    text << "{\"operation\": \"" << p.operation << "\", \"threads\": " << p.threads << ", \"isa_cap\": \"" << p.isa_cap << "\", \"attributes\": {";
    for (int i = 0; i < p.attributes; ++i) text << (i ? ", " : "") << '"' << p.attribute[i].name << "\": " << p.attribute[i].value;
    text << "}, \"tensors\": [";
    for (int i = 0; i < p.tensors; ++i) {
        const kittens_operator_tensor& t = p.tensor[i];
        text << (i ? ", " : "") << "{\"name\": \"" << t.name << "\", \"dtype\": \"" << name_of(t.type) << "\", \"sizes\": [";
        for (int d = 0; d < t.rank; ++d)
            text << (d ? ", " : "") << (d == 0 && t.sizes[0] > 1 && row_wise(p.operation) && !per_column(t.name) ? 0 : t.sizes[d]);
        text << "]}";
    }
    text << "]}";
    return text.str();
}

fs::path cache_folder() {
    if (const char* given = std::getenv("KITTENS_CACHE_DIR"); given && *given) return fs::path(given) / "compile";
    if (const char* given = std::getenv("XDG_CACHE_HOME"); given && *given) return fs::path(given) / "kittens/compile";
    if (const char* home = std::getenv("HOME"); home && *home) return fs::path(home) / ".cache/kittens/compile";
    return fs::temp_directory_path() / "kittens-compile";
}

std::string content_of(const fs::path& file) {
    std::ifstream in(file);
    return {std::istreambuf_iterator<char>(in), {}};
}

/// Runs the compiler; its output goes to `log`.
void compile(const std::string& what, const fs::path& to, const fs::path& log) {
    const pid_t child = fork();
    if (child < 0) throw std::runtime_error("cannot start Python");
    if (child == 0) {
        const fs::path place = log;
        if (!std::freopen(place.c_str(), "w", stdout) || dup2(1, 2) < 0) _exit(126);
        execl(KITTENS_PEER_PYTHON, KITTENS_PEER_PYTHON, "-W", "ignore", KITTENS_PEER_COMPILER, what.c_str(), to.c_str(), static_cast<char*>(nullptr));
        _exit(127);
    }
    int status = 0;
    waitpid(child, &status, 0);
    if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) throw std::runtime_error("torch.compile failed, see " + log.string());
}

/// The compiled function, from the cache or made now. The script is part of the key: other functions are other code.
fs::path package_for(const kittens_operator_problem& p) {
    const std::string what = specification(p);
    const std::size_t key = std::hash<std::string>()(what + TORCH_VERSION + content_of(KITTENS_PEER_COMPILER));
    const fs::path folder = cache_folder();
    fs::create_directories(folder);
    std::ostringstream name;
    name << p.operation << '-' << std::hex << key << ".pt2";
    const fs::path file = folder / name.str();
    if (!fs::exists(file)) {
        const std::string mine = std::to_string(getpid()) + "-" + name.str();
        compile(what, folder / mine, folder / (name.str() + ".log"));
        fs::rename(folder / mine, file);
    }
    return file;
}

struct peer {
    static constexpr const char* name = "compile";

    static const char* unavailable() { return fs::exists(KITTENS_PEER_PYTHON) ? nullptr : "the Python of its set-up is not there"; }
    static std::string version() { return std::string("PyTorch ") + TORCH_VERSION + ", Inductor ahead of time"; }
    static std::string isa() { return at::get_cpu_capability(); }

    explicit peer(const kittens_operator_problem& p) : operation_(p.operation) {
        static const std::set<std::string> known = {"rms_norm", "layer_norm", "rotary", "linear", "gate_up", "swiglu", "swiglu_packed", "swiglu_interleaved", "softmax", "embedding", "argmax"};
        if (!known.count(p.operation)) throw unsupported(std::string("torch.compile's ") + p.operation + " has not been written down for this comparison");
        at::set_num_threads(p.threads);
        const c10::InferenceMode guard;
        loader_ = std::make_unique<torch::inductor::AOTIModelPackageLoader>(package_for(p).string(), "model", true);
        for (int s = 0; s < p.sets; ++s) tensors_.push_back(torch_tensors(p, s));
    }
    std::string describe() const { return operation_ + ", AOTInductor"; }
    void run(int set) {
        const c10::InferenceMode guard;
        loader_->run(tensors_[static_cast<std::size_t>(set)]);
    }

private:
    std::string operation_;
    std::unique_ptr<torch::inductor::AOTIModelPackageLoader> loader_;
    std::vector<std::vector<at::Tensor>> tensors_;
};

}  // namespace

KITTENS_OPERATOR_PEER(peer)
