# SPDX-License-Identifier: Apache-2.0
"""Help, devices, wrong use, and where results go."""
import json
import os
import stat
import unittest

import schema
import support
from support import SCHEMAS, CommandTest

RUN = ["run", "gemm", "-m", "16", "-n", "32", "-k", "32"]


class Help(CommandTest):
    def test_every_command_has_help(self):
        for words in [], ["devices"], ["run"], ["run", "gemm"], ["inspect"], ["inspect", "gemm"]:
            text = self.succeeds(*words, "--help").stdout
            self.assertIn("--help", text)
        self.assertIn("--target", self.succeeds("run", "gemm", "--help").stdout)

    def test_version(self):
        self.assertRegex(self.succeeds("--version").stdout, r"^kittens \d+\.\d+\.\d+\n$")


class Devices(CommandTest):
    def test_json(self):
        document = self.json_of("devices")
        self.assertEqual([t["name"] for t in document["targets"]], ["cpu", "emulated", "xe"])
        ids = [d["id"] for d in document["devices"]]
        self.assertEqual(len(ids), len(set(ids)))
        self.assertIn("emulated", [d["target"] for d in document["devices"]])
        for target in document["targets"]:
            self.assertEqual(target["devices"], sum(d["target"] == target["name"] for d in document["devices"]))

    def test_text(self):
        text = self.succeeds("devices").stdout
        for word in "cpu", "emulated", "xe":
            self.assertIn(word, text)

    def test_what_is_missing_is_said(self):
        empty = {"OCL_ICD_VENDORS": str(self.folder), "KITTENS_TOOLCHAIN": str(self.folder), "PATH": "/nowhere"}
        document = self.json_of("devices", env=empty)
        self.assertFalse(document["inspect"]["available"])
        commands = [m["command"] for m in document["missing"]]
        self.assertTrue(any("setup.sh" in c for c in commands), document["missing"])

    def test_instruction_set_cap(self):
        ids = [d["id"] for d in self.json_of("devices", env={"KITTENS_MAX_CPU_ISA": "avx2"})["devices"] if d["target"] == "cpu"]
        self.assertLessEqual(len(ids), 1)
        self.refuses(["devices"], "KITTENS_MAX_CPU_ISA", env={"KITTENS_MAX_CPU_ISA": "sse"})


class WrongUse(CommandTest):
    def test_names(self):
        self.refuses([], "devices", "run", "inspect")
        self.refuses(["go"], '"go"', "devices")
        self.refuses(["run"], "gemm")
        self.refuses(["run", "gem"], '"gem"', "gemm")
        self.refuses(["inspect", "gem", "--device", "pvc"], '"gem"', "gemm")
        self.refuses([*RUN, "--speed"], "--speed")
        self.refuses([*RUN, "more"], "more")

    def test_choices(self):
        self.refuses([*RUN, "--target", "gpu"], '"gpu"', "cpu", "emulated", "xe")
        self.refuses([*RUN, "--device", "zx81"], '"zx81"', "cpu:")
        self.refuses([*RUN, "--dtype", "fp4"], '"fp4"', "bf16", "fp16", "int8")
        self.refuses([*RUN, "--policy", "fast"], '"fast"', "default", "masked", "plain")
        self.refuses([*RUN, "--dtype", "int8", "--policy", "masked"], '"masked"', "plain")

    def test_sizes(self):
        for size in "0", "-1", "1.5", "x", "", "1e3", "2147483648", "99999999999999999999", "-9223372036854775809", "1073741825":
            self.refuses(["run", "gemm", "-m", size, "-n", "1", "-k", "1"], "-m", "from 1 to")
            self.refuses(["run", "gemm", "-m", "1", "-n", size, "-k", "1"], "-n", "from 1 to")
            self.refuses(["run", "gemm", "-m", "1", "-n", "1", "-k", size], "-k", "from 1 to")
        self.refuses(["run", "gemm", "-m", "1", "-n", "1"], "-k")
        self.refuses(["run", "gemm", "-m"], "-m")

    def test_numbers(self):
        for value in "0", "-3", "x", "2.5", "1000000000000":
            self.refuses([*RUN, "--repeat", value], "--repeat")
        for value in "-1", "x", "18446744073709551616":
            self.refuses([*RUN, "--seed", value], "--seed")
        for value in "0", "-1", "nan", "inf", "x":
            self.refuses([*RUN, "--scale", value], "--scale")
        self.refuses([*RUN, "--dtype", "int8", "--scale", "2"], "--scale")

    def test_memory(self):
        for size in "200000", "1073741824":
            for target in "cpu", "emulated":
                self.refuses(["run", "gemm", "-m", size, "-n", size, "-k", size, "--target", target], "gemm", "needs", "free", timeout=20)

    def test_policy_that_the_size_forbids(self):
        self.refuses(["run", "gemm", "-m", "17", "-n", "33", "-k", "65", "--policy", "masked"], "masked", "bytes")

    def test_missing_devices(self):
        empty = {"OCL_ICD_VENDORS": str(self.folder), "KITTENS_TOOLCHAIN": str(self.folder)}
        self.refuses([*RUN, "--target", "xe"], "xe", env=empty)

    def test_inspect(self):
        self.refuses(["inspect", "gemm"], "--device")
        self.refuses(["inspect", "gemm", "--device", "a770"], "a770", "pvc", "bmg", "cri")
        self.refuses(["inspect", "gemm", "--device", "pvc", "--policy", "fast"], '"fast"', "masked")
        self.refuses(["inspect", "gemm", "--device", "pvc", "--dtype", "fp4"], '"fp4"')
        self.refuses(["inspect", "gemm", "--device", "pvc"], "setup.sh",
                     env={"KITTENS_TOOLCHAIN": str(self.folder), "PATH": "/nowhere"})
        self.refuses(["inspect", "gemm", "--device", "pvc"], "KITTENS_OCLOC", env={"KITTENS_OCLOC": "/nowhere/ocloc"})


class Files(CommandTest):
    def test_json_file(self):
        path = self.folder / "result.json"
        path.write_text("old")
        done = self.succeeds(*RUN, "--json", path)
        document = json.loads(path.read_text())
        self.assertEqual(schema.validate(document, SCHEMAS / "run.schema.json"), [])
        self.assertIn("passed", done.stdout)
        self.assertEqual([p.name for p in self.folder.iterdir()], ["result.json"])
        self.assertEqual(stat.S_IMODE(path.stat().st_mode) & 0o400, 0o400)

    def test_special_files(self):
        self.succeeds(*RUN, "--json", "/dev/null")
        self.assertTrue(json.loads(self.succeeds(*RUN, "--json", "/dev/stderr").stderr)["passed"])

    def test_unwritable_places(self):
        for path in self.folder / "none" / "x.json", self.folder, "/proc/x.json", "":
            for command in [*RUN, "--repeat", "1000000"], ["devices"]:
                self.refuses([*command, "--json", path], "--json", timeout=20)
        for option in "--asm", "--spirv", "--json":
            self.refuses(["inspect", "gemm", "--device", "pvc", option, "/proc/x"], option, timeout=20)

    @unittest.skipIf(os.geteuid() == 0, "root may write everywhere")
    def test_protected_file(self):
        path = self.folder / "kept.json"
        path.write_text("old")
        path.chmod(0o400)
        done = self.kittens(*RUN, "--json", path)
        self.assertEqual(done.returncode, 2)
        self.assertEqual(path.read_text(), "old")

    def test_full_disk(self):
        done = self.kittens(*RUN, "--json", "/dev/full")
        self.assertEqual(done.returncode, 2)
        self.assertRegex(done.stderr, r"kittens: cannot write /dev/full[^\n]*\n\Z")

    def test_failure_writes_nothing(self):
        path = self.folder / "kept.json"
        path.write_text("old")
        for wrong in ["--dtype", "fp4"], ["--target", "gpu"], ["-m", "0"]:
            self.assertEqual(self.kittens(*RUN[:2], "-n", 1, "-k", 1, "-m", 1, *wrong, "--json", path).returncode, 2)
            self.assertEqual(path.read_text(), "old")


if __name__ == "__main__":
    support.main()
