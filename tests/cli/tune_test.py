# SPDX-License-Identifier: Apache-2.0
"""kittens tune gemm --target xe: policies ranked by their machine code."""
import json
import tomllib

import schema
import support
from support import CommandTest

TUNE = ["tune", "gemm", "--target", "xe"]


class MachineCode(CommandTest):
    def test_wrong_use(self):
        table = ["--table", "choices.toml"]
        self.refuses([*TUNE], "--table")
        self.refuses(["tune", "gemm", "--target", "gpu", *table], '"gpu"', "cpu", "xe")
        self.refuses([*TUNE, *table, "--device", "dg2"], "dg2", "pvc", "bmg", "cri")
        self.refuses([*TUNE, *table, "--cores", "0"], "--cores")
        self.refuses([*TUNE, *table, "--budget", "x"], "--budget")
        self.refuses([*TUNE, *table, "--shape", "64x64"], "--shape")
        self.refuses([*TUNE, *table, "--suite", "large"], '"large"', "paper")
        self.refuses([*TUNE, *table, "--dtype", "fp4"], '"fp4"')
        for option, value in ("--isa", "avx2"), ("--threads", 1), ("--rounds", 3), ("--warm-ups", 1), ("--seed", 1):
            self.refuses([*TUNE, *table, option, value], option, "nothing is run")
        self.refuses(["tune", "gemm", *table, "--device", "pvc"], "--device", "--target xe")
        self.refuses([*TUNE, "--table", "/nowhere/choices.toml"], "/nowhere")
        self.refuses([*TUNE, *table], "ocloc", env={"KITTENS_OCLOC": "/nowhere/ocloc"})

    def test_a_table_that_is_none_stays(self):
        bad = self.folder / "bad.toml"
        bad.write_text("[[choice]]\n")
        done = self.kittens(*TUNE, "--table", bad)
        self.assertEqual((done.returncode, done.stdout, bad.read_text()), (2, "", "[[choice]]\n"))
        self.assertIn("bad.toml", done.stderr)

    def test_small_budget(self):
        if not json.loads(self.succeeds("devices", "--json", "-").stdout)["inspect"]["available"]:
            self.skipTest("the offline compiler is not installed")
        table, log = self.folder / "choices.toml", self.folder / "tune.log"
        command = [*TUNE, "--shape", "512x512x8192", "--budget", 6, "--table", table, "--log", log, "--json", "-"]
        done = self.succeeds(*command, timeout=280)
        first = json.loads(done.stdout)
        self.assertEqual(schema.validate(first, support.SCHEMAS / "tune-machine-code.schema.json"), [])
        self.assertIn("not measured", done.stderr)
        self.assertEqual((first["device"], first["evidence"]), ("pvc", "machine code"))
        self.assertGreaterEqual(len(first["compiled"]), 1)
        self.assertEqual(first["compiled"][0]["code"]["spill_bytes"], 0)
        self.assertEqual(first["compiled"][0]["code"]["dpas"], 32)
        (entry,) = first["entries"]
        self.assertGreaterEqual(entry["gain"], 1)
        (choice,) = tomllib.loads(table.read_text())["choice"]
        self.assertEqual((choice["target"], choice["isa"], choice["shape"], choice["policy"], choice["evidence"]),
                         ("xe", "pvc", [512, 512, 8192], entry["policy"], "machine code"))
        # Cut off in the middle of a line; what is whole is not compiled again.
        lines = log.read_text().splitlines()
        log.write_text("\n".join([*lines[:1], lines[-1][: len(lines[-1]) // 2]]))
        second = json.loads(self.succeeds(*command[:7], 1, *command[8:], timeout=280).stdout)
        self.assertEqual([c["policy"] for c in second["compiled"] if c["from_log"]], [json.loads(lines[0])["policy"]])
        # What was measured on a GPU is not replaced.
        table.write_text(table.read_text().replace("machine code\"\n", "measured\"\nthreads = 1\n").replace(entry["policy"], "default"))
        third = json.loads(self.succeeds(*command[:7], 1, *command[8:], timeout=280).stdout)
        self.assertTrue(third["entries"][0]["kept_measured"])
        self.assertEqual(tomllib.loads(table.read_text())["choice"][0]["policy"], "default")

    def test_inspect_takes_the_same_names(self):
        self.refuses(["inspect", "gemm", "--device", "pvc", "--policy", "32x64x32_8x4_fast2_u1_snake8"], "fast2")
        if not json.loads(self.succeeds("devices", "--json", "-").stdout)["inspect"]["available"]:
            self.skipTest("the offline compiler is not installed")
        (kernel,) = self.json_of("inspect", "gemm", "--device", "bmg", "--policy", "32x64x32_8x4_cooperative2_u1_snake8", timeout=280)["kernels"]
        self.assertEqual((kernel["spill_bytes"], kernel["main_loop"]["per_k_step"]["dpas"]), (0, 32))


if __name__ == "__main__":
    support.main()
