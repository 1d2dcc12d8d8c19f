// SPDX-License-Identifier: Apache-2.0
#include "kittens/inspect/toolchain.hpp"

#include <gtest/gtest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>
#include <optional>
#include <system_error>

#include "kittens/inspect/compile.hpp"
#include "kittens/inspect/process.hpp"

namespace {

namespace fs = std::filesystem;
using namespace kittens::inspect;

class environment_value {
public:
    environment_value(const char* name, const std::string& value) : name_(name) {
        if (const char* old = ::getenv(name)) old_ = old;
        ::setenv(name, value.c_str(), 1);
    }
    environment_value(const environment_value&) = delete;
    environment_value& operator=(const environment_value&) = delete;
    ~environment_value() {
        if (old_) ::setenv(name_, old_->c_str(), 1);
        else ::unsetenv(name_);
    }

private:
    const char* name_;
    std::optional<std::string> old_;
};

class scratch_folder : public ::testing::Test {
protected:
    void SetUp() override {
        std::string pattern = (fs::temp_directory_path() / "kittens-test-XXXXXX").string();
        ASSERT_NE(::mkdtemp(pattern.data()), nullptr);
        folder = pattern;
    }
    void TearDown() override { fs::remove_all(folder); }

    /// A program that prints `text` whatever it is asked.
    fs::path program(const fs::path& at, const std::string& text) const {
        fs::create_directories((folder / at).parent_path());
        std::ofstream(folder / at) << "#!/bin/sh\necho '" << text << "'\n";
        fs::permissions(folder / at, fs::perms::owner_all);
        return folder / at;
    }

    fs::path folder;

private:
    // What the developer has set must not decide a test.
    environment_value clang_{"KITTENS_CLANG", ""};
    environment_value ocloc_{"KITTENS_OCLOC", ""};
    environment_value iga_{"KITTENS_IGA", ""};
};

TEST(process, gives_output_errors_and_status) {
    const auto result = run_process({"sh", "-c", "echo out; echo err >&2; exit 7"});
    EXPECT_EQ(result.out, "out\n");
    EXPECT_EQ(result.err, "err\n");
    EXPECT_EQ(result.exit_code, 7);
    EXPECT_FALSE(result.ok());
    EXPECT_EQ(result.describe(), "exit status 7");
}

TEST(process, uses_no_shell_and_no_input) {
    EXPECT_EQ(run_process({"printf", "%s", "a b; $HOME 'c'"}).out, "a b; $HOME 'c'");
    EXPECT_EQ(run_process({"cat"}).out, "");
}

TEST(process, takes_more_output_than_a_pipe_holds) {
    const auto result =
        run_process({"sh", "-c", "head -c 1000000 /dev/zero; head -c 1000000 /dev/zero >&2; head -c 5 /dev/zero"});
    EXPECT_EQ(result.out.size(), 1000005u);
    EXPECT_EQ(result.err.size(), 1000000u);
}

TEST(process, reports_signals_and_ends_what_takes_too_long) {
    EXPECT_EQ(run_process({"sh", "-c", "kill -SEGV $$"}).signal, 11);
    const auto late = run_process(
        {"sleep", "30"}, {.working_directory = {}, .environment = {}, .timeout = std::chrono::milliseconds(50)});
    EXPECT_TRUE(late.timed_out);
    EXPECT_FALSE(late.ok());
    EXPECT_THROW(run_process({"/nonexistent/program"}), std::system_error);
}

TEST(process, sets_the_folder_and_the_environment) {
    const auto result = run_process({"sh", "-c", "pwd; echo $KITTENS_TEST_VALUE"},
                                    {.working_directory = "/", .environment = {{"KITTENS_TEST_VALUE", "x y"}}});
    EXPECT_EQ(result.out, "/\nx y\n");
}

TEST_F(scratch_folder, tools_come_from_the_toolchain_folder_before_the_path) {
    program("chain/bin/ocloc", "99.1.2");
    program("chain/bin/iga64", "Intel Graphics Assembler 9.8.7");
    program("path/ocloc", "11.1");
    program("path/clang++-22", "Debian clang version 22.1.8 (1)");
    const environment_value path("PATH", (folder / "path").string() + ":/usr/bin:/bin");
    toolchain_options options;
    options.directory = folder / "chain";
    const auto tools = toolchain::locate(options);
    EXPECT_EQ(tools.require(tool::ocloc).version, "99.1.2");
    EXPECT_EQ(tools.require(tool::ocloc).origin, "toolchain");
    EXPECT_EQ(tools.require(tool::iga).version, "9.8.7");
    EXPECT_EQ(tools.require(tool::clang).version, "22.1.8");
    EXPECT_EQ(tools.require(tool::clang).origin, "PATH");
}

TEST_F(scratch_folder, a_variable_comes_before_the_folder_and_an_option_before_both) {
    program("chain/bin/ocloc", "1.1");
    const environment_value variable("KITTENS_OCLOC", program("variable/ocloc", "2.2").string());
    toolchain_options options;
    options.directory = folder / "chain";
    EXPECT_EQ(toolchain::locate(options).require(tool::ocloc).version, "2.2");
    options.ocloc = program("option/ocloc", "3.3");
    EXPECT_EQ(toolchain::locate(options).require(tool::ocloc).version, "3.3");
}

TEST_F(scratch_folder, absent_tools_are_named_with_the_command_that_installs_them) {
    const environment_value path("PATH", folder.string());
    toolchain_options options;
    options.directory = folder;
    const auto tools = toolchain::locate(options);
    for (const tool which : {tool::clang, tool::ocloc, tool::iga}) {
        EXPECT_FALSE(tools.has(which));
        try {
            tools.require(which);
            ADD_FAILURE() << "no error";
        } catch (const inspect_error& error) {
            const std::string text = error.what();
            EXPECT_EQ(text.find(tool_name(which)), 0u) << text;
            EXPECT_NE(text.find("./scripts/setup.sh"), std::string::npos) << text;
            EXPECT_EQ(text.find('\n'), std::string::npos) << text;
        }
    }
}

TEST_F(scratch_folder, a_clang_that_is_too_old_is_passed_over_and_refused_when_named) {
    const environment_value path("PATH", (folder / "path").string() + ":/usr/bin:/bin");
    program("path/clang++-22", "Debian clang version 14.0.6");
    toolchain_options options;
    options.directory = folder / "none";
    const auto tools = toolchain::locate(options);
    if (const auto* found = tools.find(tool::clang)) {
        EXPECT_NE(found->path, folder / "path/clang++-22");
    }
    options.clang = folder / "path/clang++-22";
    EXPECT_THROW(toolchain::locate(options), inspect_error);
    options.clang = folder / "nothing";
    EXPECT_THROW(toolchain::locate(options), inspect_error);
}

TEST(content_hash, is_sha256_of_the_parts_with_their_lengths) {
    // Reference values from another implementation, of "0:", "3:abc" and "100:aaa...1:b".
    EXPECT_EQ(content_hash({""}), "ba768b331fd86cec803be04e56ab2b3d4c0e98ef4ee4fcd4e72ad7cce61a1d1f");
    EXPECT_EQ(content_hash({"abc"}), "aab5f9ae99b2e38fb462025c8f72f570c9c811705d2a4277dc855d7fa293fe97");
    EXPECT_EQ(content_hash({std::string(100, 'a'), "b"}),
              "8668b90cba627a79288a8aace2d6c491f0e773a16edf0fd23a18a579f6df348f");
    EXPECT_NE(content_hash({"ab", "c"}), content_hash({"a", "bc"}));
}

TEST_F(scratch_folder, cache_gives_back_what_was_put) {
    const compile_cache cache(folder / "deep/cache");
    const std::vector<std::byte> data{std::byte{1}, std::byte{0}, std::byte{255}};
    EXPECT_FALSE(cache.get("key"));
    cache.put("key", data);
    EXPECT_EQ(cache.get("key"), data);
    EXPECT_FALSE(cache.get("other"));
    compile_cache().put("key", data);  // no folder: nothing happens
    EXPECT_FALSE(compile_cache().get("key"));
    EXPECT_EQ(std::distance(fs::directory_iterator(folder / "deep/cache"), fs::directory_iterator()), 1)
        << "nothing is left beside the entry";
}

TEST_F(scratch_folder, cache_folder_follows_the_environment) {
    {
        const environment_value set("KITTENS_CACHE_DIR", "/one");
        EXPECT_EQ(compile_cache::standard().directory(), "/one");
    }
    const environment_value none("KITTENS_CACHE_DIR", "");
    const environment_value xdg("XDG_CACHE_HOME", "/two");
    EXPECT_EQ(compile_cache::standard().directory(), "/two/kittens");
}

TEST(gpu, names) {
    EXPECT_THROW(parse_gpu("a770"), inspect_error);
    for (const gpu device : {gpu::pvc, gpu::bmg, gpu::cri}) EXPECT_EQ(parse_gpu(gpu_name(device)), device);
}

TEST_F(scratch_folder, register_files_that_a_device_lacks_are_refused_before_the_compiler_runs) {
    toolchain_options options;
    options.ocloc = program("ocloc", "1.1");
    const auto tools = toolchain::locate(options);
    for (const auto& [device, grf] : {std::pair(gpu::pvc, 512u), {gpu::bmg, 512u}, {gpu::cri, 64u}}) {
        try {
            compile_native(tools, {}, device, {.grf = grf, .options = {}});
            ADD_FAILURE() << "no error";
        } catch (const inspect_error& error) {
            EXPECT_NE(std::string(error.what()).find("registers per thread: use 128, 256"), std::string::npos)
                << error.what();
        }
    }
}

TEST_F(scratch_folder, a_compiler_that_fails_gives_one_line_and_its_whole_text) {
    fs::path failing = folder / "ocloc";
    std::ofstream(failing) << "#!/bin/sh\n[ $1 = --version ] && echo 1.1 && exit 0\n"
                              "echo Compilation from IR\necho note >&2; echo 'error: bad module' >&2; exit 3\n";
    fs::permissions(failing, fs::perms::owner_all);
    toolchain_options options;
    options.ocloc = failing;
    const auto tools = toolchain::locate(options);
    try {
        compile_native(tools, {}, gpu::pvc);
        ADD_FAILURE() << "no error";
    } catch (const inspect_error& error) {
        EXPECT_STREQ(error.what(), "ocloc cannot compile for pvc: error: bad module");
        EXPECT_EQ(error.detail(), "note\nerror: bad module\n");
    }
}

}  // namespace
