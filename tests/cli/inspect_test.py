# SPDX-License-Identifier: Apache-2.0
"""kittens inspect gemm: the machine code of each GPU."""
import json

import schema
import support
from support import CommandTest


class Inspect(CommandTest):
    def setUp(self):
        super().setUp()
        if not json.loads(self.succeeds("devices", "--json", "-").stdout)["inspect"]["available"]:
            self.skipTest("the offline compiler is not installed")

    def inspect(self, *arguments, **options):
        return self.json_of("inspect", "gemm", *arguments, timeout=280, **options)

    def test_default_policy(self):
        for device in "pvc", "bmg", "cri":
            with self.subTest(device=device):
                r = self.inspect("--device", device)
                self.assertEqual((r["device"], r["kernel"], r["policy"], r["dtype"]), (device, "gemm", "default", "bf16"))
                (kernel,) = r["kernels"]
                self.assertEqual((kernel["name"], kernel["simd"], kernel["spill_bytes"], kernel["grf"]), ("gemm_bf16", 16, 0, 256))
                loop = kernel["main_loop"]
                step = loop["per_k_step"]
                expected = {"dpas": 32, "block_loads": 1, "transform_loads": 2, "prefetches": 2, "other_sends": 0}
                self.assertEqual({key: step[key] for key in expected}, expected)
                self.assertEqual(loop["k_steps"], 1)
                self.assertLessEqual(loop["instructions"], 70)

    def test_types_and_policies(self):
        for dtype in "fp16", "int8":
            (kernel,) = self.inspect("--device", "pvc", "--dtype", dtype)["kernels"]
            self.assertEqual((kernel["spill_bytes"], kernel["main_loop"]["per_k_step"]["dpas"]), (0, 32))
        (kernel,) = self.inspect("--device", "pvc", "--policy", "masked")["kernels"]
        self.assertEqual(kernel["name"], "gemm_bf16_masked")

    def policies(self, *arguments):
        done = self.succeeds("inspect", "gemm", *arguments, "--json", "-", timeout=280)
        document = json.loads(done.stdout)
        self.assertEqual(schema.validate(document, support.SCHEMAS / "inspect-policies.schema.json"), [])
        return document, done.stderr

    def test_ladder(self):
        document, text = self.policies("--ladder")
        self.assertEqual(document["device"], "pvc")
        steps = document["policies"]
        self.assertEqual([s["policy"] for s in steps], ["base_16x16", "base_32x32", "masked", "unroll_32", "snake", "cooperative", "shape_distance"])
        self.assertEqual([s["emulated"]["warmed_bytes_per_workgroup_k_step"] for s in steps], [0, 0] + 3 * [116736] + 2 * [32768])
        self.assertEqual([s["compiled"]["spill_bytes"] for s in steps[1:]], 6 * [0])
        last = steps[-1]["compiled"]["main_loop"]
        self.assertGreaterEqual(last["dpas_share"], 0.45)
        self.assertEqual(last["per_k_step"]["sends"], 5)
        self.assertIn("116,736", text)
        self.assertIn("emulated", text)

    def test_compare(self):
        document, text = self.policies("--compare", "default", "plain", "--device", "bmg", "--loop")
        self.assertEqual([p["policy"] for p in document["policies"]], ["default", "plain"])
        self.assertIn("2-D prefetch, 16-bit 32x8, 512 B, argument 0, for operand A of dpas", text)
        self.refuses(["inspect", "gemm", "--compare", "default"], "--compare")
        self.refuses(["inspect", "gemm", "--compare", "default", "fast"], '"fast"', "cooperative")
        self.refuses(["inspect", "gemm", "--ladder", "--compare", "default", "plain"], "--ladder")
        self.refuses(["inspect", "gemm", "--ladder", "--policy", "plain"], "--policy")
        self.refuses(["inspect", "gemm", "--ladder", "--layout", "nt"], "plain product")

    def test_forms(self):
        for options, name, transposing in (("--layout nt --bias", "gemm_epilogue_bf16_nt", 8), ("--layout tt", "gemm_sums_bf16_tt", 12), ("--split-k 2 --combine atomic", "gemm_atomic_bf16_nn", 0)):
            (kernel,) = self.inspect("--device", "bmg", *options.split())["kernels"]
            self.assertEqual((kernel["name"], kernel["spill_bytes"], kernel["main_loop"]["per_k_step"]["transpose_loads"]), (name, 0, transposing))

    def test_every_policy_of_the_ladder(self):
        (kernel,) = self.inspect("--device", "cri", "--policy", "cooperative")["kernels"]
        self.assertEqual((kernel["name"], kernel["main_loop"]["k_steps"]), ("gemm_bf16_cooperative", 32))

    def test_files(self):
        self.inspect("--device", "pvc", "--asm", "kernel.asm", "--spirv", "kernel.spv")
        self.assertIn("dpas", (self.folder / "kernel.asm").read_text())
        self.assertEqual((self.folder / "kernel.spv").read_bytes()[:4], b"\x03\x02\x23\x07")
        self.assertEqual(sorted(p.name for p in self.folder.iterdir()), ["kernel.asm", "kernel.spv"])

    def test_text(self):
        text = self.succeeds("inspect", "gemm", "--device", "pvc", timeout=280).stdout
        self.assertIn("gemm_bf16", text)
        self.assertIn("dpas", text)


if __name__ == "__main__":
    support.main()
