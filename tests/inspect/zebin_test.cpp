// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/zebin.hpp"

#include <elf.h>
#include <gtest/gtest.h>

#include <cstring>

#include "kittens/inspect/toolchain.hpp"

namespace {

using namespace kittens::inspect;

constexpr const char* two_kernels = R"(---
version:         '1.73'
kernels:
  - name:            product
    user_attributes:
      intel_reqd_sub_group_size: 16
      intel_reqd_workgroup_walk_order: [ 0, 1, 2 ]
    execution_env:
      barrier_count:   2
      grf_count:       256
      has_dpas:        true
      inline_data_payload_size: 64
      simd_size:       16
      slm_size:        8192
      spill_size:      7680
      eu_thread_count: 4
    payload_arguments:
      - arg_type:        indirect_data_pointer
        offset:          0
        size:            8
      - arg_type:        arg_byvalue
        offset:          16
        size:            8
        arg_index:       0
        source_offset:   40
        is_ptr:          true
    per_thread_memory_buffers:
      - type:            scratch
        usage:           single_space
        size:            8192
  - name:            other
    execution_env:
      grf_count:       128
      private_size:    4096
      simd_size:       32
kernels_misc_info:
  - name:            product
    args_info:
      - index:           0
        type_name:       'char*;8'
...
)";

TEST(ze_info, kernels) {
    const auto kernels = parse_ze_info(two_kernels);
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[0].name, "product");
    EXPECT_EQ(kernels[0].simd, 16u);
    EXPECT_EQ(kernels[0].grf, 256u);
    EXPECT_EQ(kernels[0].spill_bytes, 7680u);
    EXPECT_EQ(kernels[0].scratch_bytes, 8192u);
    EXPECT_EQ(kernels[0].slm_bytes, 8192u);
    EXPECT_EQ(kernels[0].barriers, 2u);
    EXPECT_EQ(kernels[0].threads_per_eu, 4u);
    EXPECT_EQ(kernels[0].inline_bytes, 64u);
    EXPECT_TRUE(kernels[0].has_dpas);
    ASSERT_EQ(kernels[0].arguments.size(), 2u);
    EXPECT_EQ(kernels[0].arguments[0].index, -1);
    EXPECT_EQ(kernels[0].arguments[1].source_offset, 40u);
    EXPECT_EQ(kernels[1].private_bytes, 4096u);
    EXPECT_EQ(kernels[1].spill_bytes, 0u) << "what is not said is nothing";
    EXPECT_FALSE(kernels[1].has_dpas);
}

TEST(ze_info, damaged_text_is_an_error) {
    EXPECT_THROW(parse_ze_info(""), inspect_error);
    EXPECT_THROW(parse_ze_info("version: '1'\n"), inspect_error);
    EXPECT_THROW(parse_ze_info("kernels:\n  - name: k\n"), inspect_error);
    EXPECT_THROW(parse_ze_info("kernels:\n  - name: k\n    execution_env:\n      simd_size: sixteen\n"), inspect_error);
    EXPECT_THROW(parse_ze_info("kernels:\n  - name: k\n        nonsense\n"), inspect_error);
}

/// A zebin image with the given sections.
std::vector<std::byte> image_of(const std::vector<std::pair<std::string, std::string>>& sections) {
    std::string names(1, '\0');
    std::string data;
    std::vector<Elf64_Shdr> headers(1);
    const auto add = [&](const std::string& name, const std::string& content) {
        Elf64_Shdr header{};
        header.sh_name = static_cast<Elf64_Word>(names.size());
        header.sh_type = SHT_PROGBITS;
        header.sh_offset = sizeof(Elf64_Ehdr) + data.size();
        header.sh_size = content.size();
        names += name + '\0';
        data += content;
        headers.push_back(header);
    };
    for (const auto& [name, content] : sections) add(name, content);
    names += std::string(".strtab") + '\0';
    headers.push_back({});
    headers.back().sh_name = static_cast<Elf64_Word>(names.size() - 8);
    headers.back().sh_type = SHT_STRTAB;
    headers.back().sh_offset = sizeof(Elf64_Ehdr) + data.size();
    headers.back().sh_size = names.size();
    data += names;

    Elf64_Ehdr header{};
    std::memcpy(header.e_ident, ELFMAG, SELFMAG);
    header.e_ident[EI_CLASS] = ELFCLASS64;
    header.e_shentsize = sizeof(Elf64_Shdr);
    header.e_shnum = static_cast<Elf64_Half>(headers.size());
    header.e_shstrndx = static_cast<Elf64_Half>(headers.size() - 1);
    header.e_shoff = sizeof(header) + data.size();
    std::string bytes(reinterpret_cast<const char*>(&header), sizeof(header));
    bytes += data;
    bytes.append(reinterpret_cast<const char*>(headers.data()), headers.size() * sizeof(Elf64_Shdr));
    const auto* begin = reinterpret_cast<const std::byte*>(bytes.data());
    return {begin, begin + bytes.size()};
}

TEST(zebin, finds_each_kernels_code) {
    const auto image = image_of({{".text.other", "OTHER"}, {".text.product", "CODE"}, {".ze_info", two_kernels}});
    const auto kernels = parse_zebin(image);
    ASSERT_EQ(kernels.size(), 2u);
    EXPECT_EQ(kernels[0].code.size(), 4u);
    EXPECT_EQ(kernels[1].code.size(), 5u);
}

TEST(zebin, damage_is_an_error_at_every_length) {
    const auto image = image_of({{".text.other", "OTHER"}, {".text.product", "CODE"}, {".ze_info", two_kernels}});
    for (std::size_t size = 0; size < image.size(); ++size)
        EXPECT_THROW(parse_zebin(std::span(image).first(size)), inspect_error) << size;
    EXPECT_THROW(parse_zebin(image_of({{".text.product", "CODE"}})), inspect_error);
    EXPECT_THROW(parse_zebin(image_of({{".text.product", "CODE"}, {".ze_info", two_kernels}})), inspect_error);
}

}  // namespace
