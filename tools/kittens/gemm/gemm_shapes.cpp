// SPDX-License-Identifier: Apache-2.0
#include "gemm_shapes.hpp"

#include "../bench_options.hpp"
#include "../console.hpp"
#include "../text.hpp"

#include <fmt/format.h>

namespace kittens::tool {

bench::gemm_shape parse_gemm_shape(const std::string& text) {
    const std::vector<std::string> sizes = split(text, 'x');
    if (sizes.size() != 3) throw user_error(fmt::format("--shape must be MxNxK, e.g. 512x4096x1024, not \"{}\"", text));
    const auto size = [&](std::size_t i) { return static_cast<int>(whole_number("a size in --shape", sizes[i], 1, 1 << 30)); };
    bench::gemm_shape shape{size(0), size(1), size(2), "given"};
    if (shape.square()) shape.workload = "square";
    return shape;
}

dtype parse_gemm_type(const std::string& name) {
    require_choice("element type", name, {"bf16", "fp16", "int8"});
    return name == "fp16" ? dtype::f16 : name == "int8" ? dtype::i8 : dtype::bf16;
}

std::vector<bench::gemm_shape> gemm_shapes(const std::string& suite, const std::vector<std::string>& given) {
    if (given.empty()) {
        require_choice("suite", suite, bench::gemm_suite_names());
        return bench::gemm_suite(suite);
    }
    std::vector<bench::gemm_shape> shapes;
    for (const std::string& s : given) shapes.push_back(parse_gemm_shape(s));
    return shapes;
}

}  // namespace kittens::tool
