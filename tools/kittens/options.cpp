// SPDX-License-Identifier: Apache-2.0
#include "commands.hpp"

namespace kittens::tool {

void add_json_option(CLI::App& to, std::string& path) {
    to.add_option(
          "--json", path,
          "Write the result as JSON to FILE, or to standard output for \"-\" (text then goes to standard error)")
        ->type_name("FILE")
        ->check(CLI::Validator(
            [](const std::string& given) {
                return given.empty() ? std::string("needs the name of a file, or -") : std::string();
            },
            ""));
}

}  // namespace kittens::tool
