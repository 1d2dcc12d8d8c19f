# SPDX-License-Identifier: Apache-2.0
"""kittens bench and kittens plot from outside. No test here depends on how long anything takes."""
import json
import os
import re

import schema
import support
from support import CommandTest

FAKE = {"KITTENS_PEERS_DIR": os.environ["KITTENS_FAKE_PEERS"]}
NOTHING = {"KITTENS_PEERS_DIR": "/nowhere"}
SMALL = ["bench", "gemm", "--shape", "64x64x64", "--warm-ups", "1", "--rounds", "2"]


class Bench(CommandTest):
    def test_figures(self):
        document = self.json_of(*SMALL, "--shape", "64x96x128", "--against", "onednn,openblas", env=FAKE)
        self.assertTrue(document["passed"])
        self.assertEqual([e["shape"] for e in document["entries"]], [{"m": 64, "n": 64, "k": 64}, {"m": 64, "n": 96, "k": 128}])
        for entry in document["entries"]:
            self.assertEqual(set(entry["peers"]), {"onednn", "openblas"})
            self.assertEqual(entry["ratio_best"], min(p["ratio"] for p in entry["peers"].values()))
            self.assertLess(entry["relative_frobenius"], 0.02)

    def test_unsplit_is_a_peer_but_never_the_best(self):
        split = ["--isa", "avx2", "--policy", "256x128x512_split", "--shape", "48x80x3000"]
        document = self.json_of(*SMALL, *split, "--against", "onednn,unsplit", env=FAKE)
        self.assertTrue(document["passed"])
        for entry in document["entries"]:
            self.assertEqual(set(entry["peers"]), {"onednn", "unsplit"})
            self.assertEqual(entry["best_peer"], "onednn")
            self.assertEqual(entry["peers"]["unsplit"]["implementation"], "policy default")
        self.assertGreater(document["geomean"]["unsplit"], 0)
        document = self.json_of(*SMALL, "--isa", "avx2", "--policy", "96x256x384", "--against", "unsplit")
        self.assertEqual([o["peer"] for o in document["entries"][0]["omitted"]], ["unsplit"])
        self.assertIsNone(document["entries"][0]["best_peer"])

    def test_ladder(self):
        done = self.succeeds("bench", "gemm", "--ladder", "--shape", "48x80x96", "--shape", "70x33x1100", "--warm-ups", "1", "--rounds", "2", "--json", "-")
        document = json.loads(done.stdout)
        self.assertEqual(schema.validate(document, support.SCHEMAS / "tune.schema.json"), [])
        for entry in document["entries"]:
            self.assertEqual(set(entry["us"]), {"pack_per_use", "pack_once", "pack_fused", "masked", "cooperative", "default"})
        text = self.succeeds("bench", "gemm", "--ladder", "--shape", "64x64x64", "--warm-ups", "1", "--rounds", "1").stdout
        for word in "pack_once", "cooperative", "B packed by the load", "packing B ahead":
            self.assertIn(word, text)
        self.refuses(["bench", "gemm", "--ladder", "--dtype", "int8"], "--ladder")

    def test_help(self):
        text = self.succeeds("bench", "gemm", "--help").stdout
        for word in "--suite", "--against", "--isa", "--threads", "--json":
            self.assertIn(word, text)

    def test_wrong_use(self):
        self.refuses(["bench"], "gemm")
        self.refuses(["bench", "gem"], '"gem"', "gemm")
        self.refuses([*SMALL, "--against", "onednn,cublas"], '"cublas"', "onednn", "openblas")
        self.refuses(["bench", "gemm", "--suite", "large"], '"large"', "paper", "cpu", "quick")
        self.refuses([*SMALL, "--dtype", "fp4"], '"fp4"', "bf16")
        self.refuses([*SMALL, "--policy", "fast"], '"fast"', "default")
        self.refuses([*SMALL, "--isa", "sse"], '"sse"', "avx2")
        self.refuses([*SMALL, "--wait-policy", "active"], '"active"', "passive")
        self.refuses([*SMALL, "--threads", "0"], "--threads")
        self.refuses([*SMALL, "--threads", "4096"], "threads")
        self.refuses([*SMALL, "--rounds", "0"], "--rounds")
        self.refuses([*SMALL, "--warm-ups", "x"], "--warm-ups")
        for shape in "64", "64x64", "64x64x0", "axbxc", "64x64x64x64":
            self.refuses(["bench", "gemm", "--shape", shape], "--shape")
        self.refuses([*SMALL, "--json", "/nowhere/figures.json"], "/nowhere/figures.json", "--json")

    def test_size_that_does_not_fit(self):
        self.refuses(["bench", "gemm", "--shape", "1000000x1000000x1000000", "--against", "none"], "1000000 x 1000000 x 1000000", "free")

    def test_cap_is_for_everybody(self):
        document = self.json_of(*SMALL, "--isa", "avx2", "--against", "onednn", env=FAKE)
        self.assertEqual((document["isa"], document["isa_cap"]), ("avx2", "avx2"))
        self.assertIn("everybody capped to avx2", self.succeeds(*SMALL, "--isa", "avx2", "--against", "none").stdout)
        self.assertEqual(self.json_of(*SMALL, "--against", "none", env={"KITTENS_MAX_CPU_ISA": "avx2"})["isa_cap"], "avx2")

    def test_threads(self):
        document = self.json_of(*SMALL, "--threads", "1", "--against", "none")
        self.assertEqual((document["threads"], len(document["processors"])), (1, 1))

    def test_missing_peers_are_named(self):
        document = self.json_of(*SMALL, "--against", "onednn,torch", env=NOTHING)
        self.assertEqual([m["peer"] for m in document["missing"]], ["onednn", "torch"])
        text = self.succeeds(*SMALL, "--against", "onednn,torch,openblas", env=NOTHING).stdout
        for command in "setup.sh --only onednn", "setup.sh --only torch", "setup.sh --only apt":
            self.assertIn(command, text)

    def test_wrong_peers_fail_the_run(self):
        document = self.json_of(*SMALL, "--against", "onednn,torch", env=FAKE, status=1)
        self.assertFalse(document["passed"])
        self.assertEqual(set(document["entries"][0]["peers"]), {"onednn"})
        self.assertTrue(document["entries"][0]["omitted"][0]["wrong"])


class Peers(CommandTest):
    """The real libraries, those that are here: right results in every type that they have."""

    def test_results(self):
        measured = set()
        for dtype in "bf16", "fp16", "int8":
            document = self.json_of(*SMALL, "--shape", "96x160x224", "--dtype", dtype, "--against", "onednn,torch,mkl,openblas")
            self.assertTrue(document["passed"], document)
            for entry in document["entries"]:
                measured |= set(entry["peers"])
        if not measured:
            self.skipTest("no peer is installed")

    def test_results_under_a_cap(self):
        document = self.json_of(*SMALL, "--isa", "avx2", "--against", "onednn,torch,mkl,openblas")
        self.assertTrue(document["passed"], document)
        for entry in document["entries"]:
            if "openblas" in entry["peers"]:
                self.assertEqual(entry["peers"]["openblas"]["dtype"], "fp32")
                self.assertEqual(document["peers"]["openblas"]["isa"].lower(), "haswell")


class Tune(CommandTest):
    """kittens tune, and what run and bench make of its tables."""

    def test_a_table_is_written_and_used(self):
        table, log = self.folder / "choices.toml", self.folder / "tune.log"
        command = ["tune", "gemm", "--shape", "48x80x96", "--shape", "33x65x17", "--warm-ups", 1, "--rounds", 2, "--table", table, "--log", log]
        first = self.json_of(*command)
        self.assertEqual(len(first["entries"]), 2)
        self.assertEqual(first["left"], [])
        for entry in first["entries"]:
            self.assertGreaterEqual(entry["gain"], 1)
            self.assertIn(entry["policy"], entry["us"])
            self.assertIn("default", entry["us"])
            self.assertGreater(len(entry["us"]), 3)
            self.assertFalse(entry["from_log"])
        # A log that was cut off in the middle of a line: what is whole counts.
        lines = log.read_text().splitlines()
        log.write_text(lines[0] + "\n" + lines[1][: len(lines[1]) // 2])
        second = self.json_of(*command)
        self.assertEqual([e["from_log"] for e in second["entries"]], [True, False])
        chosen = {(e["shape"]["m"], e["shape"]["n"], e["shape"]["k"]): e["policy"] for e in second["entries"]}

        environment = {"KITTENS_GEMM_CHOICES": str(table)}
        run = self.json_of("run", "gemm", "-m", 48, "-n", 80, "-k", 96, env=environment)
        self.assertTrue(run["passed"])
        self.assertEqual(run["policy"], chosen[48, 80, 96])
        self.assertTrue(any("measured" in note for note in run["notes"]))
        near = self.json_of("run", "gemm", "-m", 33, "-n", 66, "-k", 17, env=environment)
        self.assertTrue(any("nearest measured: 33 x 65 x 17" in note for note in near["notes"]))
        figures = self.json_of("bench", "gemm", "--shape", "48x80x96", "--against", "none", "--warm-ups", 1, "--rounds", 2, env=environment)
        self.assertEqual((figures["policy"], figures["entries"][0]["policy"]), ("auto", chosen[48, 80, 96]))

    def test_a_table_for_attention(self):
        table, log = self.folder / "choices.toml", self.folder / "tune.log"
        command = ["tune", "attention", "--shape", "1x2/1x40:70", "--shape", "1x2/1x3:300,causal", "--warm-ups", 1, "--rounds", 2, "--table", table, "--log", log]
        first = self.json_of(*command)
        self.assertEqual((len(first["entries"]), first["left"]), (2, []))
        for entry in first["entries"]:
            self.assertGreaterEqual(entry["gain"], 1)
            self.assertTrue({"default", "default@2", "rows8", "keys256"} <= set(entry["us"]))
            self.assertEqual("decode@2" in entry["us"], entry["shape"]["queries"] == 3)
        self.assertTrue(all(e["from_log"] for e in self.json_of(*command)["entries"]))
        chosen = first["entries"][0]["policy"] if first["entries"][0]["shape"]["queries"] == 40 else first["entries"][1]["policy"]
        environment = {"KITTENS_ATTENTION_CHOICES": str(table)}
        run = self.json_of("run", "attention", "--heads", 2, "--kv-heads", 1, "--queries", 40, "--keys", 70, "--policy", "auto", env=environment)
        self.assertTrue(run["passed"])
        self.assertEqual(run["policy"], chosen)
        self.assertTrue(any("measured" in note for note in run["notes"]))
        # A table that leaves one choice: what a benchmark reports is what ran.
        one = self.folder / "one.toml"
        one.write_text(re.sub(r'policy = "[^"]*"\nsplits = \d+', 'policy = "rows8"\nsplits = 0', table.read_text()))
        for policy, ran in ("auto", "rows8"), ("keys256", "keys256"):
            figures = self.json_of("bench", "attention", "--suite", "quick", "--policy", policy, "--against", "none", "--warm-ups", 1, "--rounds", 1, env={"KITTENS_ATTENTION_CHOICES": str(one)})
            self.assertEqual((figures["policy"], {e["policy"] for e in figures["entries"]}), (policy, {ran}))
        for shape, words in ("1x4x40:70", "--shape must be"), ("1x4/3x40:70", "divide"), ("1x4/2x70:40,causal", "as many keys"):
            done = self.kittens("tune", "attention", "--table", table, "--shape", shape)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(words, done.stderr)
        bad = self.folder / "bad.toml"
        bad.write_text("[[choice]]\n")
        done = self.kittens("run", "attention", "--heads", 1, "--queries", 1, "--policy", "auto", env={"KITTENS_ATTENTION_CHOICES": str(bad)})
        self.assertEqual(done.returncode, 2, done.stderr)
        self.assertIn("bad.toml", done.stderr)

    def test_every_tile_is_right(self):
        done = self.kittens("run", "gemm", "-m", 1, "-n", 1, "-k", 1, "--policy", "1x1x1")
        self.assertEqual(done.returncode, 2)
        for dtype in "bf16", "fp16", "int8":
            listed = self.kittens("run", "gemm", "-m", 1, "-n", 1, "-k", 1, "--policy", "1x1x1", "--dtype", dtype).stderr
            tiles = sorted(set(re.findall(r"\b\d+x\d+x\d+\b", listed)) - {"1x1x1"})
            self.assertGreater(len(tiles), 3)
            for tile in tiles:
                for m, n, k in (129, 311, 577), (1, 1, 1):
                    r = self.json_of("run", "gemm", "-m", m, "-n", n, "-k", k, "--dtype", dtype, "--policy", tile)
                    self.assertTrue(r["passed"], r)
                    self.assertEqual(r["policy"], tile)

    def test_wrong_use(self):
        self.refuses(["tune", "gemm"], "--table")
        self.refuses(["tune", "gemm", "--table", "t.toml", "--suite", "none"], "suite")
        bad = self.folder / "bad.toml"
        bad.write_text("[[choice]]\n")
        for arguments, env in (["tune", "gemm", "--table", bad, "--shape", "1x1x1"], {}), (["run", "gemm", "-m", 1, "-n", 1, "-k", 1], {"KITTENS_GEMM_CHOICES": str(bad)}):
            done = self.kittens(*arguments, env=env)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn("bad.toml", done.stderr)
            self.assertEqual(bad.read_text(), "[[choice]]\n")


class Plot(CommandTest):
    def figures(self):
        path = self.folder / "figures.json"
        self.succeeds(*SMALL, "--shape", "64x96x128", "--against", "onednn,openblas", "--json", path, env=FAKE)
        return path

    def require_matplotlib(self):
        if not self.can_draw():
            self.skipTest("matplotlib is not installed")

    def test_pictures(self):
        self.require_matplotlib()
        figures = self.figures()
        self.succeeds("plot", figures, "-o", self.folder / "bars.png")
        self.assertEqual((self.folder / "bars.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        self.succeeds("plot", figures, "-o", self.folder / "bars.svg", "--against", "onednn")
        svg = (self.folder / "bars.svg").read_text()
        self.assertIn("onednn", svg)
        self.assertNotIn("openblas", svg)
        self.assertIn("64\u00d7128\u00d796", svg)

    def test_policies(self):
        self.require_matplotlib()
        figures = self.folder / "tuned.json"
        self.succeeds("tune", "gemm", "--shape", "32x64x96", "--warm-ups", 1, "--rounds", 1, "--table", self.folder / "choices.toml", "--json", figures)
        for name in "policies.png", "policies.svg":
            self.succeeds("plot", figures, "-o", self.folder / name)
        self.assertEqual((self.folder / "policies.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        svg = (self.folder / "policies.svg").read_text()
        for word in "default", "32\u00d796\u00d764", "relative to the default policy":
            self.assertIn(word, svg)
        self.assertEqual(self.kittens("plot", figures, "-o", self.folder / "no.png", "--against", "onednn").returncode, 2)

    def operator_figures(self):
        """Of softmax, as they would be with a peer: half of our speed on the first problem, none on the second."""
        document = json.loads(self.succeeds("bench", "softmax", "--suite", "quick", "--against", "none", "--warm-ups", 1, "--rounds", 2, "--json", "-").stdout)
        us = document["entries"][0]["candidate_us"]
        document["peers"] = {"torch": {"version": "1", "isa": "none"}}
        document["geomean"] = {"torch": 0.5}
        document["entries"][0]["peers"] = {"torch": {"us": us / 2, "ratio": 0.5, "ratio_quartiles": [0.4, 0.6], "us_quartiles": [us / 2, us / 2],
                                                     "implementation": "x", "relative_frobenius": 0.0, "max_abs": 0.0}}
        self.assertEqual(schema.validate(document, support.SCHEMAS / "bench-operator.schema.json"), [])
        return document

    def test_operators(self):
        self.require_matplotlib()
        operators, every = self.folder / "softmax.json", self.folder / "all.json"
        document = self.operator_figures()
        operators.write_text(json.dumps(document))
        self.succeeds("plot", operators, "-o", self.folder / "bars.svg")
        svg = (self.folder / "bars.svg").read_text()
        for entry in document["entries"]:
            self.assertIn(f"{entry['text']}, {entry['workload']}, {entry['cache']}", svg)
        for word in "torch, geometric mean 0.5", "of bandwidth":
            self.assertIn(word, svg)
        every.write_text(json.dumps({"version": "1", "suite": "quick", "reports": [json.loads(self.figures().read_text()), document], "passed": True}))
        for peers, groups in ([], {"gemm", "softmax"}), (["torch"], {"softmax"}), (["onednn"], {"gemm"}):
            self.succeeds("plot", every, "-o", self.folder / "all.svg", *(["--against", *peers] if peers else []))
            svg = (self.folder / "all.svg").read_text()
            self.assertEqual({kernel for kernel in ("gemm", "softmax") if f">{kernel}<" in svg}, groups)
        self.succeeds("plot", every, "-o", self.folder / "all.png")
        self.assertEqual((self.folder / "all.png").read_bytes()[:8], b"\x89PNG\r\n\x1a\n")
        for document in document, {"version": "1", "suite": "quick", "reports": [document], "passed": True}:
            for entry in document.get("reports", [document])[0]["entries"]:
                entry["peers"] = {}
            every.write_text(json.dumps(document))
            done = self.kittens("plot", every, "-o", self.folder / "no.svg")
            self.assertEqual(done.returncode, 2)
            self.assertIn("nothing to draw", done.stderr)

    def test_without_matplotlib(self):
        fake = self.folder / "python"
        fake.write_text("#!/bin/sh\nexit 3\n")
        fake.chmod(0o755)
        done = self.kittens("plot", self.figures(), "-o", self.folder / "bars.png", env={"KITTENS_PYTHON": str(fake)})
        self.assertEqual(done.returncode, 2)
        self.assertIn("setup.sh --only plot", done.stderr)
        self.assertFalse((self.folder / "bars.png").exists())
        done = self.kittens("bench", "all", "--suite", "quick", "--figures", self.folder / "pictures", env={"KITTENS_PYTHON": str(fake)})
        self.assertEqual(done.returncode, 2)
        self.assertIn("setup.sh --only plot", done.stderr)
        self.assertFalse((self.folder / "pictures").exists())

    def test_wrong_use(self):
        self.refuses(["plot", "absent.json", "-o", "bars.png"], "absent.json")
        figures = self.figures()
        for arguments, fragment in (
            [["plot", figures], "--output"],
            [["plot", figures, "-o", "bars.gif"], ".png"],
            [["plot", figures, "-o", "/nowhere/bars.png"], "/nowhere/bars.png"],
            [["plot", figures, "-o", "bars.png", "--against", "torch"], "torch"],
        ):
            done = self.kittens(*arguments)
            self.assertEqual(done.returncode, 2, done.stderr)
            self.assertIn(fragment, done.stderr)
        figures.write_text(json.dumps({"kernel": "gemm"}))
        self.assertIn("holds no figures", self.kittens("plot", figures, "-o", "bars.png").stderr)
        figures.write_text("{")
        self.assertIn("holds no figures", self.kittens("plot", figures, "-o", "bars.png").stderr)


if __name__ == "__main__":
    support.main()
