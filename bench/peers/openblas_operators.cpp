// SPDX-License-Identifier: Apache-2.0
// OpenBLAS for few rows times a matrix. Most builds have no product of 16-bit types: then everything is converted to single
// precision beforehand, and the product reads twice the bytes; it is labelled so.
#include "blas_operators.hpp"
#include "openblas_common.hpp"

namespace {

using namespace kittens::peers;

struct peer : openblas::library {
    static constexpr const char* name = "openblas";

    explicit peer(const kittens_operator_problem& p) : p_(p, "OpenBLAS") {
        openblas_set_num_threads(p.threads);
        if (half()) return;
        for (const linear_problem::operands& set : p_.sets) {
            x_.push_back(widened(set.x, p_.m));
            weights_.push_back(widened(set.weight, p_.n));
        }
    }
    std::string describe() const { return half() ? "sbgemm, then rounded" : p_.m == 1 ? "sgemv, single precision: twice the bytes, then rounded" : "sgemm, single precision: twice the bytes, then rounded"; }
    void run(int set) {
        const auto s = static_cast<std::size_t>(set);
        const blasint m = p_.m, n = p_.n, k = p_.k;
        float* sums = p_.sums.data();
        if (half()) openblas::find_sbgemm()(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0f, p_.set(set).x, k, p_.set(set).weight, k, 0.0f, sums, n);
        else if (m == 1) cblas_sgemv(CblasRowMajor, CblasNoTrans, n, k, 1.0f, weights_[s].data(), k, x_[s].data(), 1, 0.0f, sums, 1);
        else cblas_sgemm(CblasRowMajor, CblasNoTrans, CblasTrans, m, n, k, 1.0f, x_[s].data(), k, weights_[s].data(), k, 0.0f, sums, n);
        p_.round_to_output(set);
    }

private:
    bool half() const { return p_.type == KITTENS_PEER_BF16 && openblas::find_sbgemm(); }
    std::vector<float> widened(const std::uint16_t* from, int rows) const {
        std::vector<float> to(static_cast<std::size_t>(rows) * static_cast<std::size_t>(p_.k));
        for (std::size_t i = 0; i < to.size(); ++i) to[i] = widen_16(p_.type, from[i]);
        return to;
    }

    linear_problem p_;
    std::vector<std::vector<float>> x_, weights_;
};

}  // namespace

KITTENS_OPERATOR_PEER(peer)
