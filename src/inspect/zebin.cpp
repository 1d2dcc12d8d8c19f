// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/zebin.hpp"

#include <elf.h>

#include <cstring>
#include <map>

#include "kittens/inspect/toolchain.hpp"

namespace kittens::inspect {
namespace {

[[noreturn]] void damaged(const std::string& what) {
    throw inspect_error("the compiler's output is not a readable zebin image: " + what);
}

template <class T>
T read_at(std::span<const std::byte> image, std::size_t offset, const char* what) {
    if (offset > image.size() || image.size() - offset < sizeof(T)) damaged(what);
    T value;
    std::memcpy(&value, image.data() + offset, sizeof(T));
    return value;
}

std::span<const std::byte> section_data(std::span<const std::byte> image, const Elf64_Shdr& header) {
    if (header.sh_type == SHT_NOBITS) return {};
    if (header.sh_offset > image.size() || header.sh_size > image.size() - header.sh_offset)
        damaged("a section runs past the end");
    return image.subspan(header.sh_offset, header.sh_size);
}

std::string_view as_text(std::span<const std::byte> data) {
    return {reinterpret_cast<const char*>(data.data()), data.size()};
}

}  // namespace

std::vector<zebin_kernel> parse_zebin(std::span<const std::byte> image) {
    const auto header = read_at<Elf64_Ehdr>(image, 0, "shorter than an ELF header");
    if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) damaged("no ELF magic number");
    if (header.e_ident[EI_CLASS] != ELFCLASS64) damaged("not 64-bit ELF");
    if (header.e_shentsize != sizeof(Elf64_Shdr)) damaged("bad section header size");

    std::vector<Elf64_Shdr> headers;
    for (unsigned i = 0; i < header.e_shnum; ++i)
        headers.push_back(
            read_at<Elf64_Shdr>(image, header.e_shoff + i * sizeof(Elf64_Shdr), "section headers run past the end"));
    if (header.e_shstrndx >= headers.size()) damaged("no section names");
    const auto names = as_text(section_data(image, headers[header.e_shstrndx]));

    std::map<std::string, std::span<const std::byte>> sections;
    for (const auto& section : headers) {
        if (section.sh_name >= names.size()) damaged("a section name runs past the end");
        const auto rest = names.substr(section.sh_name);
        sections[std::string(rest.substr(0, rest.find('\0')))] = section_data(image, section);
    }

    const auto info = sections.find(".ze_info");
    if (info == sections.end()) damaged("section .ze_info is missing");
    auto kernels = parse_ze_info(as_text(info->second));
    for (auto& kernel : kernels) {
        const auto text = sections.find(".text." + kernel.name);
        if (text == sections.end()) damaged("no code for kernel '" + kernel.name + "'");
        kernel.code.assign(text->second.begin(), text->second.end());
    }
    return kernels;
}

}  // namespace kittens::inspect
