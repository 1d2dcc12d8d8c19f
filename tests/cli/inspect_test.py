# SPDX-License-Identifier: Apache-2.0
"""kittens inspect gemm: the machine code of each GPU."""
import json

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
