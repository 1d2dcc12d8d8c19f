// SPDX-License-Identifier: Apache-2.0
#include "suites.hpp"

namespace kittens::bench {

namespace {

std::vector<gemm_shape> paper_suite() {
    std::vector<gemm_shape> shapes;
    for (const int n : {1024, 2048, 3072, 4096, 5120, 6144, 7168, 8192, 9216, 10240, 12288, 14336, 16384})
        shapes.push_back({n, n, n, "square"});
    const struct {
        int m, k, n;
        const char* workload;
    } rectangles[] = {
        {2048, 4096, 12288, "QKV, M 2048"},       {4096, 4096, 12288, "QKV, M 4096"},
        {8192, 4096, 12288, "QKV, M 8192"},       {2048, 4096, 4096, "output, M 2048"},
        {8192, 4096, 4096, "output, M 8192"},     {2048, 4096, 11008, "FFN up, M 2048"},
        {4096, 4096, 11008, "FFN up, M 4096"},    {2048, 11008, 4096, "FFN down, M 2048"},
        {4096, 11008, 4096, "FFN down, M 4096"},  {2048, 1024, 4096, "BERT FFN up"},
        {2048, 4096, 1024, "BERT FFN down"},      {256, 4096, 4096, "inference, M 256"},
        {512, 4096, 4096, "inference, M 512"},    {512, 4096, 11008, "inference FFN, M 512"},
    };
    for (const auto& r : rectangles) shapes.push_back({r.m, r.n, r.k, r.workload});
    return shapes;
}

std::vector<gemm_shape> cpu_suite() {
    std::vector<gemm_shape> shapes = paper_suite();
    for (gemm_shape& s : shapes) {
        s.m /= 4;
        s.n /= 4;
        s.k /= 4;
    }
    return shapes;
}

std::vector<gemm_shape> deep_suite() {
    // C has one tile, or few: all work for other threads than the first lies along K.
    const struct {
        int m, n, k;
    } sizes[] = {{16, 64, 16384}, {32, 32, 16384}, {64, 64, 4096}, {64, 64, 8192}, {64, 64, 16384}, {64, 128, 8192}, {128, 128, 4096}, {128, 128, 16384}, {256, 128, 8192}};
    std::vector<gemm_shape> shapes;
    for (const auto& s : sizes) shapes.push_back({s.m, s.n, s.k, "small C, long K"});
    return shapes;
}

}  // namespace

std::vector<gemm_shape> gemm_suite(const std::string& name) {
    if (name == "paper") return paper_suite();
    if (name == "cpu") return cpu_suite();
    if (name == "deep") return deep_suite();
    if (name == "quick") {
        // Small, middle and larger squares; much and little work for a byte of B.
        const std::vector<gemm_shape> all = cpu_suite();
        return {all[0], all[3], all[7], all[16], all[24]};
    }
    return {};
}

std::vector<std::string> gemm_suite_names() { return {"paper", "cpu", "quick", "deep"}; }

}  // namespace kittens::bench
