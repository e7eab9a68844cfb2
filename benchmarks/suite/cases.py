"""The workloads of the comparison: what they compute, on which numbers, and who runs them."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

RESNET = {"resnet18": ((64, 3, 32, 32), 10), "resnet50": ((16, 3, 224, 224), 1000)}
BERT = {"batch": 8, "length": 128, "width": 768, "heads": 12, "layers": 12, "words": 30522}
GPT = {"batch": 1, "length": 128, "width": 512, "heads": 8, "layers": 6, "words": 8192}
LSTM = {"batch": 32, "steps": 100, "inputs": 128, "units": 256}
MLP = (784, 1024, 1024, 10)
GEMM = 2048
COPY = 1 << 25  # float32 numbers: 128 MiB


class Case(NamedTuple):
    """One workload.

    Attributes:
        title: what is measured, with sizes.
        repeat: repetitions in one round.
        flop: floating point operations of one repetition, multiply and add as two; 0: not told.
        bytes: that one repetition reads and writes at least; 0: not told.
        precision: what its products are computed in.
        unit: of the times.
    """

    title: str
    repeat: int
    flop: float = 0
    bytes: float = 0
    precision: str = "float32"
    unit: str = "ms per step"


def _encoder_flop(sizes: dict, passes: int) -> float:
    """Products of a transformer: of weights (12 w² a layer and token) and of attention."""
    tokens, width = sizes["batch"] * sizes["length"], sizes["width"]
    one = sizes["layers"] * tokens * (24 * width**2 + 4 * sizes["length"] * width)
    return passes * one


_LSTM_FLOP = (
    2 * LSTM["steps"] * LSTM["batch"] * 4 * LSTM["units"] * (LSTM["inputs"] + LSTM["units"])
)
_MLP_FLOP = 2 * 128 * sum(a * b for a, b in zip(MLP, MLP[1:]))
_HEAD = 2 * GPT["length"] * GPT["width"] * GPT["words"]

CASES = {
    "lenet": Case("LeNet, batch 32", 20),
    "mlp": Case("MLP 784-1024-1024-10, batch 128, Adam", 10, 3 * _MLP_FLOP),
    "resnet18": Case("ResNet-18, 3×32×32, batch 64", 1, 3 * 64 * 2 * 0.5558e9),
    "resnet50": Case("ResNet-50, 3×224×224, batch 16", 1, 3 * 16 * 2 * 4.09e9),
    "resnet50_bf16": Case(
        "ResNet-50, bfloat16, batch 16", 1, 3 * 16 * 2 * 4.09e9, precision="bfloat16"
    ),
    "bert": Case("BERT-base, 8×128", 1, _encoder_flop(BERT, 3)),
    "bert_bf16": Case(
        "BERT-base, bfloat16, 8×128", 1, _encoder_flop(BERT, 3), precision="bfloat16"
    ),
    "lstm": Case("LSTM 128→256, 100 steps, batch 32", 3, 3 * _LSTM_FLOP),
    "gpt": Case(
        "GPT, 6 layers of 512, 128 tokens, inference", 10, _encoder_flop(GPT, 1) + _HEAD, unit="ms"
    ),
    "resnet50_inference": Case("ResNet-50, inference, batch 1", 5, 2 * 4.09e9, unit="ms"),
    "gpt_int8": Case("GPT, 6 layers of 512, 128 tokens, int8 weights", 10, unit="ms"),
    "resnet50_int8": Case("ResNet-50, inference, batch 1, int8 weights", 5, unit="ms"),
    "elementwise": Case("twelve functions on 2048², gradient", 3, 0, 2 * 4 * 2048**2, unit="ms"),
    "loop": Case("gradient of a loop that data ends", 20, unit="ms"),
    "eager_adds": Case("1,000 eager additions", 5, unit="ms"),
    "eager_mlp": Case("eager MLP 64-64-10 step, batch 32", 50),
}
LIMITS = {
    "gemm": Case("product 2048³, float32", 3, 2 * GEMM**3, unit="ms"),
    "gemm_bf16": Case("product 2048³, bfloat16", 3, 2 * GEMM**3, precision="bfloat16", unit="ms"),
    "copy": Case("copy of 128 MiB", 3, 0, 8 * COPY, unit="ms"),
}

IN_TORCH = [n for n in [*CASES, *LIMITS] if n != "resnet50_int8"]
NOT_COMPILED = ("loop", "eager_adds", "eager_mlp")
FRAMEWORKS = {
    "minds": [*CASES, *LIMITS],
    "torch": IN_TORCH,
    "torch channels_last": ["resnet18", "resnet50", "resnet50_bf16", "resnet50_inference"],
    "torch.compile": [n for n in CASES if n not in NOT_COMPILED and not n.endswith("_int8")],
    "jax": ["mlp", "bert", "lstm", "gpt", "elementwise", "loop"],
    "mindspore": [n for n in CASES if not n.endswith(("_bf16", "_int8"))],
}
"""Who runs what."""


def data(case: str) -> tuple:
    """The inputs of a case, the same for all frameworks."""
    rng = np.random.default_rng(0)

    def floats(*shape):
        return rng.standard_normal(shape).astype(np.float32)

    def ints(top, *shape):
        return rng.integers(0, top, shape).astype(np.int32)

    name = case.removesuffix("_bf16").removesuffix("_inference").removesuffix("_int8")
    if case in ("resnet50_inference", "resnet50_int8"):
        return (floats(1, 3, 224, 224),)
    if name in RESNET:
        shape, classes = RESNET[name]
        return floats(*shape), ints(classes, shape[0])
    if name == "bert":
        return ints(BERT["words"], BERT["batch"], BERT["length"]), ints(2, BERT["batch"])
    if name == "gpt":
        return (ints(GPT["words"], 1, GPT["length"]),)
    return {
        "lenet": lambda: (floats(32, 1, 32, 32), ints(10, 32)),
        "mlp": lambda: (floats(128, MLP[0]), ints(10, 128)),
        "lstm": lambda: (floats(LSTM["steps"], LSTM["batch"], LSTM["inputs"]),),
        "elementwise": lambda: (floats(2048, 2048),),
        "loop": lambda: (floats(4, 16), 0.1 * floats(16, 16)),
        "eager_adds": lambda: (floats(16),),
        "eager_mlp": lambda: (floats(32, 64), ints(10, 32)),
        "gemm": lambda: (floats(GEMM, GEMM), floats(GEMM, GEMM)),
        "gemm_bf16": lambda: (floats(GEMM, GEMM), floats(GEMM, GEMM)),
        "copy": lambda: (np.ones(COPY, np.float32),),
    }[name]()
