# SPDX-License-Identifier: Apache-2.0
"""The memory-bound operators from outside: run, check, inspect, bench, wrong use. Nothing here depends on how long anything takes."""
import json

import schema
import support
from support import CommandTest

NOTHING = {"KITTENS_PEERS_DIR": "/nowhere"}
RUNS = {
    "norm": ["--rows", 3, "--cols", 300],
    "rotary": ["--tokens", 3],
    "gemv": ["-n", 19, "-k", 300],
    "swiglu": ["--rows", 3, "--cols", 300],
    "softmax": ["--rows", 2, "--cols", 700],
    "embedding": ["--tokens", 3, "--rows", 7, "--cols", 300, "--id-type", "int64"],
    "argmax": ["--rows", 3, "--cols", 700],
    "sample": ["--rows", 2, "--cols", 700, "--top-k", 40, "--top-p", 0.9],
}


class Operators(CommandTest):
    def test_every_target(self):
        for operator, sizes in RUNS.items():
            for target in "cpu", "emulated", "xe":
                if self.has_target(target):
                    with self.subTest(operator=operator, target=target):
                        r = self.json_of("run", operator, *sizes, "--target", target)
                        self.assertTrue(r["passed"])
                        self.assertEqual((r["kernel"], r["target"], r["error"]["guard_bytes_written"]), (operator, target, 0))

    def test_check(self):
        for operator in RUNS:
            r = self.json_of("check", operator, "--all")
            self.assertTrue(r["clean"], operator)

    def test_wrong_use(self):
        self.refuses(["run", "norm", "--rows", "0", "--cols", "4"], "--rows", "1")
        self.refuses(["run", "norm", "--rows", "4", "--cols", "4", "--kind", "batch"], '"batch"', "rms", "layer")
        self.refuses(["run", "norm", "--rows", "4", "--cols", "4", "--dtype", "int8"], '"int8"', "bf16", "fp16")
        self.refuses(["run", "norm", "--cols", "4"], "--rows")
        self.refuses(["run", "rotary", "--tokens", "4", "--head-dim", "96"], '"96"', "64", "128", "256")
        self.refuses(["run", "rotary", "--tokens", "4", "--rotated", "130"], "--rotated", "128")
        self.refuses(["run", "rotary", "--tokens", "4", "--rotated", "31"], "--rotated", "even")
        self.refuses(["run", "rotary", "--tokens", "4", "--rotated", "48"], "--rotated", "64")
        self.refuses(["run", "rotary", "--tokens", "4", "--position", "-1"], "--position")
        self.refuses(["run", "gemv", "-m", "9", "-n", "4", "-k", "4"], "-m", "8")
        self.refuses(["run", "gemv", "-n", "4", "-k", "4", "--gated", "--bias"], "--gated")
        self.refuses(["run", "swiglu", "--rows", "4", "--cols", "4", "--layout", "mixed"], '"mixed"', "separate", "packed", "interleaved")
        self.refuses(["run", "swiglu", "--rows", "4", "--cols", "0"], "--cols", "1")
        self.refuses(["run", "softmax", "--rows", "4", "--cols", "4", "--temperature", "0"], "--temperature", "positive")
        self.refuses(["run", "softmax", "--rows", "4", "--cols", "4", "--temperature", "1e-35"], "--temperature", "1e30")
        self.refuses(["run", "embedding", "--tokens", "2", "--rows", "10", "--cols", "4", "--ids", "3,10"], "--ids", "9")
        self.refuses(["run", "embedding", "--tokens", "2", "--rows", "10", "--cols", "4", "--ids", "3,-1"], "--ids", "0")
        self.refuses(["run", "embedding", "--tokens", "2", "--rows", "10", "--cols", "4", "--ids", "3"], "--ids", "2")
        self.refuses(["run", "embedding", "--tokens", "2", "--rows", "10", "--cols", "4", "--id-type", "int16"], '"int16"', "int32", "int64")
        self.refuses(["run", "argmax", "--rows", "4"], "--cols")
        self.refuses(["run", "sample", "--rows", "1", "--cols", "4", "--top-p", "1.5"], "--top-p", "1")
        self.refuses(["run", "sample", "--rows", "1", "--cols", "4", "--top-p", "0"], "--top-p", "positive")
        self.refuses(["run", "sample", "--rows", "1", "--cols", "4", "--top-k", "-1"], "--top-k", "0")
        self.refuses(["run", "sample", "--rows", "1", "--cols", "4", "--temperature", "1e-9"], "--temperature", "0.001", "1000")
        self.refuses(["bench", "norm", "--suite", "large"], '"large"', "default", "quick")
        self.refuses(["bench", "norm", "--against", "cublas"], '"cublas"', "torch", "compile")

    def check_figures(self, document):
        self.assertEqual(schema.validate(document, support.SCHEMAS / "bench-operator.schema.json"), [])
        self.assertTrue(document["passed"])
        for entry in document["entries"]:
            self.assertEqual(entry["copies"] > 1, entry["cache"] == "cold")
            self.assertEqual(entry["bandwidth"] != [], entry["cache"] == "cold")

    def test_bench(self):
        done = self.succeeds("bench", "norm", "--suite", "quick", "--against", "torch", "--warm-ups", 1, "--rounds", 2, "--json", "-", env=NOTHING, timeout=250)
        document = json.loads(done.stdout)
        self.check_figures(document)
        self.assertEqual([m["peer"] for m in document["missing"]], ["torch"])

    def test_bench_all(self):
        """Every kernel in one report, with oneDNN where it is installed; what could be compared is drawn where that is possible."""
        self.refuses(["bench", "all", "--suite", "decode"], '"decode"', "default", "quick")
        self.refuses(["bench", "all", "--against", "cublas"], '"cublas"', "onednn")
        page, pictures = self.folder / "page.md", self.folder / "pictures"
        command = ["bench", "all", "--suite", "quick", "--against", "onednn", "--warm-ups", 1, "--rounds", 1, "--markdown", page, "--json", "-"]
        drawing = self.can_draw()
        done = self.succeeds(*command, *(["--figures", pictures] if drawing else []), timeout=600)
        document = json.loads(done.stdout)
        self.assertEqual(document["suite"], "quick")
        reports = {r["kernel"]: r for r in document["reports"]}
        self.assertEqual(list(reports)[0], "gemm")
        self.assertLessEqual({*RUNS, "gemm", "attention"}, set(reports))
        self.assertEqual(schema.validate(reports["gemm"], support.SCHEMAS / "bench.schema.json"), [])
        text = page.read_text()
        compared = [k for k, r in reports.items() if any(e["peers"] for e in r["entries"])]
        for kernel, report in reports.items():
            if kernel != "gemm":
                self.check_figures(report)
            self.assertIn(f"\n## {kernel}\n", text)
            self.assertEqual(f"![{kernel}](pictures/{kernel}.svg)" in text, drawing and kernel in compared)
        drawn = sorted(p.stem for p in pictures.iterdir()) if drawing else []
        self.assertEqual(drawn, sorted([*compared, "all"]) if drawing and compared else [])


class MachineCode(CommandTest):
    """What the compiler for each GPU makes of the kernels: 128 registers are enough, and memory is accessed 128 bits to a lane."""

    # Loads and stores of 128 bits a lane that the code has at least, written once each: as many as the vectors that it moves.
    KERNELS = [
        (["norm", "--kind", "rms"], 1, 1), (["norm", "--kind", "layer", "--residual"], 1, 1), (["rotary"], 1, 1), (["rotary", "--convention", "interleaved"], 1, 1),
        (["gemv"], 1, 0), (["gemv", "--gated"], 1, 0), (["swiglu"], 2, 1), (["swiglu", "--layout", "interleaved"], 2, 1), (["softmax"], 4, 4),
        (["embedding"], 1, 1), (["argmax"], 4, 0), (["sample"], 2, 0),
    ]

    def test_no_spills_and_wide_accesses(self):
        if not json.loads(self.succeeds("devices", "--json", "-").stdout)["inspect"]["available"]:
            self.skipTest("the offline compiler is not installed")
        for device in "pvc", "bmg", "cri":
            for kernel, loads, stores in self.KERNELS:
                with self.subTest(device=device, kernel=kernel):
                    found = self.json_of("inspect", *kernel, "--device", device, timeout=250)["kernels"]
                    (code,) = [k for k in found if kernel[0] != "swiglu" or ("interleaved" in k["name"]) == ("interleaved" in kernel)]
                    self.assertEqual((code["simd"], code["grf"], code["spill_bytes"], code["private_bytes"]), (16, 128, 0, 0))
                    wide = {what: sum(n for m, n in code["messages"].items() if m.startswith(what + ".ugm.d32x4.")) for what in ("load", "store")}
                    self.assertGreaterEqual(wide["load"], loads)
                    self.assertGreaterEqual(wide["store"], stores)


if __name__ == "__main__":
    support.main()
