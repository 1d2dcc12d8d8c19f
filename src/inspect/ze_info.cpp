// SPDX-License-Identifier: Apache-2.0
// Reads `.ze_info`, which is written in a small part of YAML: block maps and lists by indentation,
// plain or quoted scalars. Flow lists ("[ 0, 1 ]") are kept as text; nothing here needs them.
#include <charconv>

#include "kittens/inspect/toolchain.hpp"
#include "kittens/inspect/zebin.hpp"

namespace kittens::inspect {
namespace {

struct node {
    std::string scalar;
    std::vector<node> items;
    std::vector<std::string> keys;  ///< of `values`, in their order
    std::vector<node> values;

    void add(std::string key, node value) {
        keys.push_back(std::move(key));
        values.push_back(std::move(value));
    }
    const node* find(std::string_view key) const {
        for (std::size_t i = 0; i < keys.size(); ++i)
            if (keys[i] == key) return &values[i];
        return nullptr;
    }
    std::string text(std::string_view key) const {
        const node* value = find(key);
        return value ? value->scalar : std::string();
    }
    template <class T>
    T number(std::string_view key, T otherwise) const {
        const node* value = find(key);
        if (value == nullptr) return otherwise;
        T result{};
        const auto& s = value->scalar;
        const auto [end, error] = std::from_chars(s.data(), s.data() + s.size(), result);
        if (error != std::errc() || end != s.data() + s.size())
            throw inspect_error(".ze_info: '" + std::string(key) + "' is no number: '" + s + "'");
        return result;
    }
};

struct line {
    std::size_t indent;
    std::string_view text;  ///< without indentation and trailing blanks
};

std::string_view trimmed(std::string_view s) {
    while (!s.empty() && (s.front() == ' ' || s.front() == '\t')) s.remove_prefix(1);
    while (!s.empty() && (s.back() == ' ' || s.back() == '\r' || s.back() == '\t')) s.remove_suffix(1);
    return s;
}

std::vector<line> split_lines(std::string_view text) {
    std::vector<line> lines;
    while (!text.empty()) {
        const auto end = text.find('\n');
        const auto raw = text.substr(0, end);
        text.remove_prefix(end == std::string_view::npos ? text.size() : end + 1);
        const auto content = trimmed(raw);
        if (content.empty() || content == "---" || content == "..." || content.front() == '#' ||
            content.front() == '\0')
            continue;
        lines.push_back({raw.find_first_not_of(' '), content});
    }
    return lines;
}

std::string unquoted(std::string_view s) {
    if (s.size() >= 2 && (s.front() == '\'' || s.front() == '"') && s.back() == s.front())
        s = s.substr(1, s.size() - 2);
    return std::string(s);
}

class parser {
public:
    explicit parser(std::vector<line> lines) : lines_(std::move(lines)) {}

    node document() {
        node root = lines_.empty() ? node{} : block(lines_[0].indent);
        if (at_ != lines_.size()) fail();
        return root;
    }

private:
    [[noreturn]] void fail() const {
        throw inspect_error(".ze_info: cannot read line '" + std::string(lines_[at_].text) + "'");
    }

    bool is_item() const { return lines_[at_].text == "-" || lines_[at_].text.starts_with("- "); }

    /// The lines from here that are indented by exactly `indent`, and what hangs below them.
    node block(std::size_t indent) {
        node result;
        while (at_ < lines_.size() && lines_[at_].indent == indent) {
            if (is_item()) {
                // "- key: value" is a map whose first line begins after the dash.
                const auto rest = trimmed(lines_[at_].text.substr(1));
                lines_[at_].indent += static_cast<std::size_t>(rest.data() - lines_[at_].text.data());
                lines_[at_].text = rest;
                if (rest.empty()) fail();
                if (key_end(rest) == std::string_view::npos) {
                    result.items.push_back({unquoted(rest), {}, {}, {}});
                    ++at_;
                } else {
                    result.items.push_back(block(lines_[at_].indent));
                }
            } else {
                const auto colon = key_end(lines_[at_].text);
                if (colon == std::string_view::npos) fail();
                const std::string key = unquoted(trimmed(lines_[at_].text.substr(0, colon)));
                const auto value = trimmed(lines_[at_].text.substr(colon + 1));
                ++at_;
                const bool nested = value.empty() && at_ < lines_.size() && lines_[at_].indent > indent;
                result.add(key, nested ? block(lines_[at_].indent) : node{unquoted(value), {}, {}, {}});
            }
        }
        if (at_ < lines_.size() && lines_[at_].indent > indent) fail();
        return result;
    }

    /// Position of the colon after a key, which a space or the end must follow.
    static std::size_t key_end(std::string_view s) {
        if (!s.empty() && (s.front() == '\'' || s.front() == '"')) {
            const auto close = s.find(s.front(), 1);
            if (close == std::string_view::npos || close + 1 >= s.size() || s[close + 1] != ':')
                return std::string_view::npos;
            return close + 1;
        }
        for (std::size_t i = 0; i < s.size(); ++i)
            if (s[i] == ':' && (i + 1 == s.size() || s[i + 1] == ' ')) return i;
        return std::string_view::npos;
    }

    std::vector<line> lines_;
    std::size_t at_ = 0;
};

void read_arguments(const node* list, std::vector<zebin_argument>& into) {
    if (list == nullptr) return;
    for (const auto& item : list->items)
        into.push_back({.offset = item.number("offset", 0u),
                        .size = item.number("size", 0u),
                        .index = item.number("arg_index", -1),
                        .source_offset = item.number("source_offset", 0u),
                        .kind = item.text("arg_type")});
}

}  // namespace

std::vector<zebin_kernel> parse_ze_info(std::string_view yaml) {
    const node root = parser(split_lines(yaml)).document();
    const node* kernels = root.find("kernels");
    if (kernels == nullptr) throw inspect_error(".ze_info lists no kernels");
    std::vector<zebin_kernel> result;
    for (const auto& item : kernels->items) {
        const node* env = item.find("execution_env");
        zebin_kernel kernel;
        kernel.name = item.text("name");
        if (kernel.name.empty() || env == nullptr)
            throw inspect_error(".ze_info: a kernel without name or execution_env");
        kernel.simd = env->number("simd_size", 0u);
        kernel.grf = env->number("grf_count", 0u);
        kernel.spill_bytes = env->number("spill_size", 0u);
        kernel.private_bytes = env->number("private_size", 0u);
        kernel.slm_bytes = env->number("slm_size", 0u);
        kernel.barriers = env->number("barrier_count", 0u);
        kernel.threads_per_eu = env->number("eu_thread_count", 0u);
        kernel.inline_bytes = env->number("inline_data_payload_size", 0u);
        kernel.has_dpas = env->text("has_dpas") == "true";
        if (const node* buffers = item.find("per_thread_memory_buffers"))
            for (const auto& buffer : buffers->items)
                if (buffer.text("type") == "scratch") kernel.scratch_bytes += buffer.number("size", 0u);
        read_arguments(item.find("payload_arguments"), kernel.arguments);
        result.push_back(std::move(kernel));
    }
    return result;
}

}  // namespace kittens::inspect
