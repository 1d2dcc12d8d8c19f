# SPDX-License-Identifier: Apache-2.0
"""Compiles an operator with torch.compile's compiler ahead of time: compile_operators.py SPECIFICATION OUTPUT.pt2

SPECIFICATION is JSON: operation, attributes, tensors (name, dtype, sizes), threads, isa_cap. A first size of 0 may be any
number from 2 on. The compiled function takes all tensors in that order and writes the outputs in place.
"""
import json
import sys

import torch
import torch.nn.functional as F
from torch._inductor import config

TYPES = {"fp32": torch.float32, "bf16": torch.bfloat16, "fp16": torch.float16, "int8": torch.int8, "int32": torch.int32}
BITS = {"avx2": 256, "avx512": 512, "avx512_bf16": 512, "amx": 512}


def normalised(t):
    if "residual" not in t:
        return t["x"]
    total = t["x"] + t["residual"]
    t["sum"].copy_(total)
    return total


def rms_norm(t, a):
    x = normalised(t)
    t["out"].copy_(F.rms_norm(x, (x.shape[-1],), t["weight"], a["epsilon"]))


def layer_norm(t, a):
    x = normalised(t)
    t["out"].copy_(F.layer_norm(x, (x.shape[-1],), t["weight"], t["bias"], a["epsilon"]))


def rotate(x, out, cos, sin, interleaved):
    half = cos.shape[-1]
    x1, x2 = (x[..., 0 : 2 * half : 2], x[..., 1 : 2 * half : 2]) if interleaved else (x[..., :half], x[..., half : 2 * half])
    c, s = cos.float().unsqueeze(1), sin.float().unsqueeze(1)
    x1, x2 = x1.float(), x2.float()
    o1, o2 = (x1 * c - x2 * s).to(x.dtype), (x2 * c + x1 * s).to(x.dtype)
    if interleaved:
        out[..., : 2 * half].copy_(torch.stack((o1, o2), -1).flatten(-2))
    else:
        out[..., :half].copy_(o1)
        out[..., half : 2 * half].copy_(o2)


def rotary(t, a):
    rotate(t["q"], t["q_out"], t["cos"], t["sin"], a.get("interleaved", 0))
    if "k" in t:
        rotate(t["k"], t["k_out"], t["cos"], t["sin"], a.get("interleaved", 0))


def linear(t, a):
    y = F.linear(t["x"], t["weight"], t.get("bias"))
    t["out"].copy_(y + t["residual"] if "residual" in t else y)


def gate_up(t, a):
    t["out"].copy_(F.silu(F.linear(t["x"], t["gate"])) * F.linear(t["x"], t["up"]))


def swiglu(t, a):
    t["out"].copy_(F.silu(t["gate"]) * t["up"])


def swiglu_packed(t, a):
    width = t["out"].shape[-1]
    t["out"].copy_(F.silu(t["gate_up"][:, :width]) * t["gate_up"][:, width:])


def swiglu_interleaved(t, a):
    t["out"].copy_(F.silu(t["gate_up"][:, 0::2]) * t["gate_up"][:, 1::2])


def softmax(t, a):
    x = t["x"] if a.get("factor", 1) == 1 else t["x"] * a["factor"]
    t["out"].copy_(F.softmax(x, -1))


def argmax(t, a):
    t["out"].copy_(torch.argmax(t["x"], -1))


def embedding(t, a):
    t["out"].copy_(F.embedding(t["ids"], t["table"]))


OPERATIONS = {f.__name__: f for f in (rms_norm, layer_norm, rotary, linear, gate_up, swiglu, swiglu_packed, swiglu_interleaved, softmax, embedding, argmax)}


def main():
    specification, output = json.loads(sys.argv[1]), sys.argv[2]
    function = OPERATIONS[specification["operation"]]
    attributes, tensors = specification["attributes"], specification["tensors"]
    names = [t["name"] for t in tensors]
    config.cpp.threads = specification["threads"]
    if specification["isa_cap"]:
        config.cpp.simdlen = BITS[specification["isa_cap"]]
    torch.set_num_threads(specification["threads"])

    class Operator(torch.nn.Module):
        def forward(self, *values):
            function(dict(zip(names, values)), attributes)

    rows = torch.export.Dim("rows", min=2)
    dynamic = tuple({0: rows} if t["sizes"][0] == 0 else None for t in tensors)
    values = tuple(torch.ones([t["sizes"][0] or 64, *t["sizes"][1:]], dtype=TYPES[t["dtype"]]) for t in tensors)
    with torch.no_grad():
        program = torch.export.export(Operator(), values, dynamic_shapes=(dynamic,))
        torch._inductor.aoti_compile_and_package(program, package_path=output)


if __name__ == "__main__":
    main()
