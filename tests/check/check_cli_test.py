# SPDX-License-Identifier: Apache-2.0
"""kittens check and kittens inspect --ops from outside."""
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.environ["KITTENS_CLI_TESTS"])
import schema  # noqa: E402

SCHEMAS = pathlib.Path(os.environ["KITTENS_SCHEMAS"])


def kittens(*arguments, program="KITTENS_PROGRAM", folder=None):
    return subprocess.run([os.environ[program], *arguments], capture_output=True, text=True, timeout=280, cwd=folder,
                          stdin=subprocess.DEVNULL)


class Check(unittest.TestCase):
    def document(self, *arguments, status=0, program="KITTENS_PROGRAM"):
        done = kittens("check", *arguments, "--json", "-", program=program)
        self.assertEqual(done.returncode, status, done.stdout + done.stderr)
        document = json.loads(done.stdout)
        self.assertEqual(schema.validate(document, SCHEMAS / "check.schema.json"), [])
        return document

    def test_every_kernel_of_the_suite_is_clean(self):
        document = self.document("gemm", "--all")
        self.assertTrue(document["clean"])
        self.assertEqual(document["faults"], [])
        variants = {run["variant"] for run in document["runs"]}
        self.assertLessEqual({"gemm_bf16", "gemm_fp16", "gemm_int8", "gemm_bf16_masked", "gemm_bf16_plain"}, variants)
        self.assertGreaterEqual(len(document["runs"]), 3 * len(variants))
        # What masked prefetch costs is what those policies exist to show; no other kernel prefetches anything twice.
        self.assertLessEqual({advice["kernel"] for advice in document["advice"]}, {"gemm_bf16_masked", "gemm_bf16_unroll_32", "gemm_bf16_snake"})

    def test_given_sizes(self):
        document = self.document("gemm", "-m", "16", "-n", "64", "-k", "64", "--seed", "7")
        self.assertEqual([run["shape"] for run in document["runs"]], [{"m": 16, "n": 64, "k": 64}])
        self.assertEqual(document["seed"], 7)

    def test_wrong_use(self):
        for arguments, word in ((["gemm", "-m", "16"], "-n"), (["gem"], "gemm"), ([], "gemm"), (["gemm", "--policy", "no"], "default"),
                                (["gemm", "--all", "--dtype", "int8"], "--all"), (["gemm", "-m", "0", "-n", "1", "-k", "1"], "-m")):
            done = kittens("check", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertRegex(done.stderr, r"\Akittens: [^\n]+\n\Z")
            self.assertIn(word, done.stderr)
            self.assertEqual(done.stdout, "")

    def test_a_broken_kernel_fails(self):
        for policy, kind in (("short", None), ("unwritten", None), ("outside", "out_of_allocation")):
            document = self.document("gemm", "--policy", policy, "-m", "64", "-n", "64", "-k", "64", status=1, program="KITTENS_BROKEN_PROGRAM")
            self.assertFalse(document["clean"])
            if kind:
                self.assertEqual({fault["kind"] for fault in document["faults"]}, {kind})
                self.assertEqual(document["faults"][0]["operation"], "store")
            else:
                self.assertTrue(document["wrong"])


class Operations(unittest.TestCase):
    def test_json_and_table(self):
        with tempfile.TemporaryDirectory() as folder:
            done = kittens("inspect", "--ops", "--device", "pvc", "--json", "-", folder=folder)
            if done.returncode == 2 and "setup.sh" in done.stderr and not os.environ.get("KITTENS_REQUIRE_INTEL"):
                self.skipTest(done.stderr.strip())
            self.assertEqual(done.returncode, 0, done.stderr)
            document = json.loads(done.stdout)
            self.assertEqual(schema.validate(document, SCHEMAS / "inspect-ops.schema.json"), [])
            self.assertIn("No operation spills", done.stderr)
            self.assertEqual(os.listdir(folder), [])

    def test_wrong_use(self):
        for arguments, word in ((["--ops"], "--device"), (["--ops", "--device", "abc"], "pvc"), (["--device", "pvc"], "--ops"),
                                (["--ops", "gemm", "--device", "pvc"], "--ops")):
            done = kittens("inspect", *arguments)
            self.assertEqual(done.returncode, 2, arguments)
            self.assertRegex(done.stderr, r"\Akittens: [^\n]+\n\Z")
            self.assertIn(word, done.stderr)


if __name__ == "__main__":
    result = unittest.main(verbosity=2, exit=False).result
    sys.exit(1 if not result.wasSuccessful() or result.testsRun == 0 else 77 if len(result.skipped) == result.testsRun else 0)
