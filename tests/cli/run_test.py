# SPDX-License-Identifier: Apache-2.0
"""kittens run gemm: every target, element type and awkward size; and that a wrong kernel is found out."""
import re
import unittest

import support
from support import BROKEN, CommandTest

SIZES = [(1, 1, 1), (17, 33, 65), (100, 200, 300), (513, 257, 129)]
TYPES = ["bf16", "fp16", "int8"]

# What a GEMM can do beside the plain product: (sizes, type, options, the kernel that multiplies).
GENERAL = [((64, 96, 64), "bf16", "--layout nt", "gemm_epilogue_bf16_nt"),
           ((65, 97, 33), "bf16", "--layout tn --out fp32", "gemm_sums_bf16_tn"),
           ((33, 70, 65), "bf16", "--layout tt --split-k 3 --bias --activation silu", "gemm_sums_bf16_tt"),
           ((40, 64, 96), "bf16", "--batch 3 --alpha 0.5 --beta -1.5 --bias --residual --activation gelu", "gemm_epilogue_bf16_nn"),
           ((17, 33, 200), "bf16", "--split-k 4 --combine atomic --activation relu", "gemm_atomic_bf16_nn"),
           ((70, 130, 90), "bf16", "--split-k 3 --combine stream --out fp32", "gemm_stream_bf16_nn"),
           ((33, 65, 40), "fp16", "--layout nt --alpha 2 --residual --out bf16", "gemm_sums_fp16_nt"),
           ((50, 60, 70), "tf32", "--bias", "gemm_sums_tf32_nn"),
           ((50, 60, 70), "tf32", "--layout nt --split-k 2", "gemm_sums_tf32_nt"),
           ((33, 70, 130), "int8", "--layout nt --split-k 3 --batch 2", "gemm_sums_int8_nt"),
           ((20, 70, 130), "int8", "--split-k 5 --combine atomic", "gemm_atomic_int8_nn")]


class RunTest(CommandTest):
    target = None

    def passes(self, m, n, k, dtype, *arguments):
        with self.subTest(shape=(m, n, k), dtype=dtype):
            r = self.gemm(m, n, k, "--dtype", dtype, "--target", self.target, *arguments)
            self.assertTrue(r["passed"])
            self.assertEqual((r["kernel"], r["target"], r["dtype"], r["shape"]), ("gemm", self.target, dtype, {"m": m, "n": n, "k": k}))
            self.assertEqual(r["error"]["guard_bytes_written"], 0)
            self.assertGreater(r["seconds"]["median"], 0)
            if dtype == "int8":
                self.assertEqual((r["error"]["relative_frobenius"], r["error"]["different"]), (0, 0))
            else:
                self.assertLess(r["error"]["relative_frobenius"], 0.02)
            return r


    def general(self, cases=GENERAL):
        for sizes, dtype, options, variant in cases:
            self.assertEqual(self.passes(*sizes, dtype, *options.split())["variant"], variant)


class Cpu(RunTest):
    target = "cpu"

    def setUp(self):
        super().setUp()
        self.require_target("cpu")

    def test_sizes(self):
        for size in SIZES:
            for dtype in TYPES:
                r = self.passes(*size, dtype)
                self.assertGreater(r["tflops"], 0)
                self.assertEqual(r["counters"], {})

    def test_large(self):
        for dtype in TYPES:
            self.passes(1024, 1024, 1024, dtype, "--repeat", 3)

    def test_every_instruction_set(self):
        for d in self.json_of("devices")["devices"]:
            if d["target"] == "cpu":
                for dtype in TYPES:
                    r = self.passes(130, 70, 260, dtype, "--device", d["isa"])
                    self.assertEqual(r["isa"], d["isa"])
                    self.passes(128, 128, 128, dtype, "--device", d["isa"])

    def test_attention_in_parts_and_decoding(self):
        common = ["run", "attention", "--heads", 4, "--kv-heads", 2, "--lse"]
        decode = [*common, "--policy", "decode", "--keys", 300]
        for options in ([*common, "--queries", 70, "--keys", 1100, "--splits", 3], [*decode, "--queries", 1], [*decode, "--queries", 3, "--causal", "--layout", "bnhd"],
                        [*decode, "--queries", 2, "--batch", 2, "--cache-lengths", "300,65", "--page-size", 128], [*decode, "--queries", 1, "--page-size", 64, "--page-table", "4,2,0,1,3"]):
            r = self.json_of(*options)
            self.assertTrue(r["passed"], r)
        self.assertIn("attention_merge_bf16", self.json_of(*common, "--queries", 70, "--keys", 1100, "--splits", 3)["variant"])
        for wrong, words in ((["--queries", 17], "from 1 to 16, not 17"), (["--queries", 1, "--page-size", 96], "multiple of 64, not 96"),
                             (["--queries", 1, "--page-size", 64, "--page-table", "0,1,2,3,5"], "pages from 0 to 4: page 4 of sequence 0 is 5"),
                             (["--queries", 1, "--page-size", 64, "--page-table", "0,1"], "page_table must have 5 entries"),
                             (["--queries", 1, "--cache-lengths", "0"], "each of lengths must be from 1 to 300, not 0"),
                             (["--queries", 1, "--cache-lengths", "5,6"], "lengths must have one entry"), (["--queries", 1, "--splits", 257], "--splits"),
                             (["--queries", 1, "--query-offset", 3], "must be 0 when decoding")):
            self.refuses([*decode, *wrong], words)
        self.refuses([*common, "--queries", 1, "--page-size", 64], "--policy decode")

    def test_policies(self):
        for policy in "default", "masked", "plain":
            self.assertEqual(self.passes(128, 96, 64, "bf16", "--policy", policy)["policy"], policy)

    def test_general(self):
        self.general()
        for d in self.json_of("devices")["devices"]:
            if d["target"] == "cpu":
                self.passes(40, 64, 96, "bf16", "--layout", "nt", "--bias", "--activation", "gelu", "--device", d["isa"])

    def test_a_split_is_the_same_every_time(self):
        a, b = (self.passes(64, 64, 512, "bf16", "--split-k", 4, "--seed", 5, "--out", "fp32") for _ in range(2))
        self.assertEqual(a["error"], b["error"])

    def test_k_shared_out_among_threads(self):
        tiles = {"avx2": ("256x128x512", "256x128x512"), "avx512": ("256x128x512", "256x128x512"), "avx512_bf16": ("256x128x512", "256x128x512"), "amx": ("256x256x1024", "256x256x2048")}
        for d in self.json_of("devices")["devices"]:
            if d["target"] != "cpu":
                continue
            wide, narrow = tiles[d["isa"]]
            for dtype, tile in ("bf16", wide), ("int8", narrow):
                for size in (33, 40, 5000), (1, 1, 1), (130, 270, 2500):
                    a, b = (self.passes(*size, dtype, "--policy", tile + "_split", "--seed", 7, "--device", d["isa"]) for _ in range(2))
                    self.assertEqual(a["policy"], tile + "_split")
                    self.assertEqual(a["error"], b["error"])  # planes are added in order

    def test_general_wrong_use(self):
        base = ["run", "gemm", "-m", 64, "-n", 64, "-k", 64]
        for options, *words in (["--layout nx", "nt"], ["--activation tanh", "gelu"], ["--combine sum", "stream"], ["--split-k 0", "--split-k"], ["--alpha x", "--alpha"],
                                ["--out int32", "fp32"], ["--dtype int8 --bias", "int8"], ["--dtype int8 --layout tt", "int8_nn"], ["--policy masked --layout nt", "masked"],
                                ["--policy masked --batch 2", "--batch"], ["--batch 0", "--batch"]):
            self.refuses([*base, *options.split()], *words)

    def test_default_gives_way_where_blocks_are_not_allowed(self):
        r = self.passes(17, 33, 65, "bf16", "--policy", "default")
        self.assertEqual((r["policy"], r["variant"]), ("plain", "gemm_bf16_plain"))
        self.assertTrue(any("2-D block" in n for n in r["notes"]))

    def test_seed(self):
        a, b, c = (self.passes(64, 64, 64, "bf16", "--seed", s) for s in (1, 1, 2))
        self.assertEqual(a["error"], b["error"])
        self.assertNotEqual(a["error"], c["error"])
        self.assertEqual(a["seed"], 1)
        largest = 2**64 - 1
        self.assertEqual(self.passes(64, 64, 64, "bf16", "--seed", largest)["seed"], largest)
        fresh = {self.passes(1, 1, 1, "bf16")["seed"] for _ in range(3)}
        self.assertGreater(len(fresh), 1)

    def test_scale(self):
        self.passes(64, 64, 64, "bf16", "--scale", 100)
        self.passes(64, 64, 64, "bf16", "--scale", "1e-3")
        # Sums beyond fp16's range are infinities, and rightly so.
        self.passes(64, 64, 512, "fp16", "--scale", 100)

    def test_repeat(self):
        s = self.passes(64, 64, 64, "bf16", "--repeat", 5)["seconds"]
        self.assertEqual(s["runs"], 5)
        self.assertTrue(s["min"] <= s["median"] <= s["max"])

    def test_long_and_thin(self):
        self.passes(1, 1, 100000, "bf16")
        self.passes(3000, 1, 2, "fp16")
        self.passes(1, 3000, 2, "int8")


class Emulated(RunTest):
    target = "emulated"

    def test_sizes(self):
        for size in SIZES[:3]:
            for dtype in TYPES:
                self.passes(*size, dtype)
        self.passes(*SIZES[3], "bf16")

    def test_counters(self):
        """One workgroup computes 256 x 256; a K step of 32 is 256 x 32 of A and 32 x 256 of B."""
        r = self.passes(256, 256, 64, "bf16")
        c = r["counters"]
        self.assertIsNone(r["tflops"])
        self.assertEqual((c["workgroups"], c["k_steps"], c["subgroups"]), (1, 2, 32))
        self.assertEqual(c["prefetched_bytes_per_workgroup_k_step"], 2 * 256 * 32 * 2)
        self.assertEqual(c["prefetched_bytes"], c["distinct_prefetched_bytes"])
        self.assertEqual(c["distinct_prefetched_bytes"], c["distinct_loaded_bytes"])
        self.assertEqual(c["dpas"], 32 * 2 * 32)
        self.assertEqual(c["blocks"]["store"]["bytes"], 256 * 256 * 2)
        self.assertEqual(r["faults"], [])

    def test_general(self):
        self.general()

    def test_masked_prefetch_repeats_itself(self):
        c = self.passes(256, 256, 64, "bf16", "--policy", "masked")["counters"]
        self.assertAlmostEqual(c["prefetched_bytes_per_workgroup_k_step"], 118784, delta=118784 * 0.02)


class Xe(RunTest):
    target = "xe"

    def setUp(self):
        super().setUp()
        self.require_target("xe")

    def test_bf16(self):
        for size in SIZES:
            self.passes(*size, "bf16")

    def test_fp16(self):
        for size in SIZES[1:3]:
            self.passes(*size, "fp16")

    def test_int8(self):
        for size in SIZES[1:3]:
            self.passes(*size, "int8")

    def test_large(self):
        r = self.passes(1024, 1024, 1024, "bf16", "--policy", "default")
        self.assertEqual(r["policy"], "default")

    def test_choice_of_the_table(self):
        """What the repository's table has for this shape, with its evidence."""
        r = self.passes(1024, 1024, 1024, "bf16")
        self.assertTrue(any("ranked by machine code, not measured" in note for note in r["notes"]), r["notes"])
        self.assertFalse(any("this program has no" in note for note in r["notes"]), r["notes"])
        listed = self.refuses(["run", "gemm", "-m", 64, "-n", 64, "-k", 64, "--target", "xe", "--policy", "1x1x1"], '"1x1x1"')
        split = re.search(r"[0-9x]+_[0-9x]+_\w+_split", listed)
        if split:
            self.assertEqual(self.passes(100, 64, 160, "bf16", "--policy", split[0] + "2")["policy"], split[0] + "2")

    def test_general(self):
        self.general(GENERAL[2:5] + GENERAL[9:10])


@unittest.skipUnless(BROKEN, "needs the program with broken kernels")
class BrokenKernels(CommandTest):
    """The check is worth something only if it can fail."""

    def fails(self, policy, target, *fragments, m=100):
        r = self.gemm(m, 64, 96, "--policy", policy, "--target", target, status=1, program=BROKEN)
        self.assertFalse(r["passed"])
        text = " ".join(r["findings"] + r["faults"])
        for fragment in fragments:
            self.assertIn(fragment, text)
        return r

    def test_wrong_sum(self):
        for target in "cpu", "emulated":
            self.assertGreater(self.fails("short", target, "C is wrong")["error"]["relative_frobenius"], 0.02)

    def test_not_everything_written(self):
        for target in "cpu", "emulated":
            r = self.fails("unwritten", target, "never written")
            self.assertIsNone(r["error"]["relative_frobenius"])
            self.assertGreater(r["error"]["nonfinite"], 0)

    def test_written_outside(self):
        self.assertEqual(self.fails("outside", "cpu", "outside C")["error"]["guard_bytes_written"], 64 * 2)
        self.fails("outside", "emulated", "out_of_allocation")

    def test_exception(self):
        self.fails("throws", "cpu", "gemm_bf16_throws", "no luck")

    def test_text(self):
        done = self.kittens("run", "gemm", "-m", 100, "-n", 64, "-k", 96, "--policy", "short", program=BROKEN)
        self.assertEqual(done.returncode, 1)
        self.assertIn("FAILED", done.stdout)


if __name__ == "__main__":
    support.main()
