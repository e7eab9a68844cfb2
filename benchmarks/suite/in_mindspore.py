"""The workloads in MindSpore's language: the same source runs in minds and in MindSpore."""

from __future__ import annotations

import importlib

import numpy as np
from cases import BERT, GPT, LSTM, MLP, data

LIMIT = 1e4  # where the loop of `loop` ends


class Programs:
    """The networks and steps of one framework, ``"minds"`` or ``"mindspore"``."""

    def __init__(self, framework: str):
        self.ms = importlib.import_module(framework)
        self.nn = importlib.import_module(framework + ".nn")
        self.ops = importlib.import_module(framework + ".ops")
        self.framework = framework
        self.normal = importlib.import_module(framework + ".common.initializer").Normal

    def tensors(self, case: str) -> list:
        return [self.ms.Tensor(v) for v in data(case)]

    def training(self, net, optimizer):
        """A step of a network whose output is its loss."""
        step = self.nn.TrainOneStepCell(net, optimizer).set_train()
        return lambda *inputs: float(step(*inputs).asnumpy())

    def classifying(self, net, optimizer=None):
        loss = self.nn.SoftmaxCrossEntropyWithLogits(sparse=True, reduction="mean")
        optimizer = optimizer or self.nn.Momentum(net.trainable_params(), 0.01, 0.9)
        return self.training(self.nn.WithLossCell(net, loss), optimizer)

    def lenet(self):
        nn = self.nn
        return nn.SequentialCell(
            *(nn.Conv2d(1, 6, 5, pad_mode="valid", has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Conv2d(6, 16, 5, pad_mode="valid", has_bias=True), nn.ReLU(), nn.MaxPool2d(2, 2)),
            *(nn.Flatten(), nn.Dense(400, 120), nn.ReLU(), nn.Dense(120, 84), nn.ReLU()),
            nn.Dense(84, 10),
        )

    def mlp(self, sizes):
        nn, layers = self.nn, []
        for a, b in zip(sizes, sizes[1:]):
            layers += [nn.Dense(a, b), nn.ReLU()]
        return nn.SequentialCell(*layers[:-1])

    def resnet(self, counts, bottleneck: bool, classes: int, small: bool):
        """ResNet with basic or bottleneck blocks; ``small``: for images of 32 by 32."""
        nn = self.nn

        def conv(inputs, outputs, size, stride=1):
            return nn.SequentialCell(
                nn.Conv2d(inputs, outputs, size, stride, pad_mode="same"), nn.BatchNorm2d(outputs)
            )

        class Block(nn.Cell):
            def __init__(self, inputs, width, stride):
                super().__init__()
                outputs = 4 * width if bottleneck else width
                shapes = [(inputs, width, 3, stride), (width, width, 3, 1)]
                if bottleneck:
                    shapes = [
                        (inputs, width, 1, 1),
                        (width, width, 3, stride),
                        (width, outputs, 1, 1),
                    ]
                layers = []
                for shape in shapes:
                    layers += [conv(*shape), nn.ReLU()]
                self.body = nn.SequentialCell(*layers[:-1])
                self.relu, self.down = nn.ReLU(), None
                if stride != 1 or inputs != outputs:
                    self.down = conv(inputs, outputs, 1, stride)

            def construct(self, x):
                return self.relu(self.body(x) + (x if self.down is None else self.down(x)))

        class ResNet(nn.Cell):
            def __init__(self):
                super().__init__()
                stem = [conv(3, 64, 3), nn.ReLU()]
                if not small:
                    pool = nn.MaxPool2d(3, 2, pad_mode="same")
                    stem = [conv(3, 64, 7, 2), nn.ReLU(), pool]
                blocks, inputs = [], 64
                for stage, count in enumerate(counts):
                    width = 64 * 2**stage
                    for n in range(count):
                        blocks.append(Block(inputs, width, 2 if stage and n == 0 else 1))
                        inputs = 4 * width if bottleneck else width
                self.features = nn.SequentialCell(*stem, *blocks)
                self.head = nn.Dense(inputs, classes)

            def construct(self, x):
                return self.head(self.features(x).mean((2, 3)))

        return ResNet()

    def encoder(self, sizes, causal: bool):
        """Transformer layers over embedded words: (N, T) → (N, T, width)."""
        nn, ops, ms = self.nn, self.ops, self.ms
        width, heads, length = sizes["width"], sizes["heads"], sizes["length"]

        class Layer(nn.Cell):
            def __init__(self):
                super().__init__()
                self.norm1, self.norm2 = nn.LayerNorm((width,)), nn.LayerNorm((width,))
                self.qkv, self.out = nn.Dense(width, 3 * width), nn.Dense(width, width)
                self.up, self.down = nn.Dense(width, 4 * width), nn.Dense(4 * width, width)
                mask = np.triu(np.full((length, length), -1e9 if causal else 0, np.float32), 1)
                self.mask = ms.Tensor(mask)

            def construct(self, x):
                n, t, w = x.shape
                qkv = self.qkv(self.norm1(x)).reshape(n, t, 3, heads, w // heads)
                q, k, v = ops.unbind(qkv.transpose(2, 0, 3, 1, 4))
                scores = ops.matmul(q, k.swapaxes(-1, -2)) * (w // heads) ** -0.5
                if causal:
                    scores = scores + self.mask
                mixed = ops.matmul(ops.softmax(scores, -1), v)
                x = x + self.out(mixed.transpose(0, 2, 1, 3).reshape(n, t, w))
                return x + self.down(ops.gelu(self.up(self.norm2(x))))

        class Encoder(nn.Cell):
            def __init__(self, normal):
                super().__init__()
                self.words = nn.Embedding(sizes["words"], width, embedding_table=normal(1.0))
                self.places = ms.Parameter(
                    ms.Tensor(np.zeros((length, width), np.float32)), "places"
                )
                self.layers = nn.SequentialCell(*[Layer() for _ in range(sizes["layers"])])
                self.norm = nn.LayerNorm((width,))

            def construct(self, ids):
                return self.norm(self.layers(self.words(ids) + self.places))

        return Encoder(self.normal)

    def bert(self):
        """BERT-base with a head that classifies by the first token."""
        nn, encoder = self.nn, self.encoder(BERT, False)

        class Classifier(nn.Cell):
            def __init__(self):
                super().__init__()
                self.encoder, self.head = encoder, nn.Dense(BERT["width"], 2)

            def construct(self, ids):
                return self.head(self.encoder(ids)[:, 0])

        return Classifier()

    def gpt(self):
        nn, encoder = self.nn, self.encoder(GPT, True)
        head = nn.Dense(GPT["width"], GPT["words"], has_bias=False)
        return nn.SequentialCell(encoder, head).set_train(False)

    def lstm(self):
        nn = self.nn

        class Squared(nn.Cell):
            def __init__(self):
                super().__init__()
                self.lstm = nn.LSTM(LSTM["inputs"], LSTM["units"])

            def construct(self, x):
                y, _ = self.lstm(x)
                return (y * y).mean()

        return Squared()

    def elementwise(self):
        ops = self.ops

        def chain(x):
            y = ops.tanh(x * 0.5 + 1.0) * ops.sigmoid(x) - ops.exp(-x * x)
            return ops.sum(y * y / (1.0 + ops.abs(x)) + ops.relu(y) * 0.1)

        return self.ms.jit(self.ms.grad(chain))

    def loop(self):
        ops = self.ops

        def grow(x, w):
            s = ops.sum(x * x)
            while s < LIMIT:
                x = x + ops.tanh(ops.matmul(x, w)) * 0.5 + 0.01
                s = ops.sum(x * x)
            return s

        return self.ms.jit(self.ms.grad(grow, (0, 1)))


def make(framework: str, case: str):
    """A call that does one repetition, and gives the loss where there is one."""
    p = Programs(framework)
    ms, ops = p.ms, p.ops
    ms.set_context(mode=ms.PYNATIVE_MODE if case.startswith("eager") else ms.GRAPH_MODE)
    inputs = p.tensors(case)
    name, half = case.removesuffix("_bf16"), case.endswith("_bf16")
    if name in ("gemm", "copy"):
        inputs = [v.astype(ms.bfloat16) for v in inputs] if half else inputs
        run = ms.jit(ops.matmul if name == "gemm" else lambda x: x * 2.0)
    elif name in ("elementwise", "loop"):
        run = getattr(p, name)()
    elif name == "eager_adds":
        run = _adds
    elif name in ("gpt", "gpt_int8", "resnet50_inference", "resnet50_int8"):
        run = _inference(p, name)
    elif name == "lstm":
        net = p.lstm()
        step = p.training(net, p.nn.SGD(net.trainable_params(), 0.1))
        return lambda: step(*inputs)
    else:
        step = _step(p, name, half)
        return lambda: step(*inputs)
    return lambda: _done(run(*inputs))


def _inference(p: Programs, name: str):
    if name.startswith("gpt"):
        net = p.gpt()
    else:
        net = p.resnet((3, 4, 6, 3), True, 1000, False).set_train(False)
    return p.ms.quantize(net) if name.endswith("_int8") else net


def _step(p: Programs, name: str, half: bool):
    adam = None
    if name.startswith("resnet"):
        deep = name == "resnet50"
        counts = (3, 4, 6, 3) if deep else (2, 2, 2, 2)
        net = p.resnet(counts, deep, 1000 if deep else 10, not deep)
    elif name == "eager_mlp":
        net = p.mlp((64, 64, 10))
    else:
        net = {"lenet": p.lenet, "mlp": lambda: p.mlp(MLP), "bert": p.bert}[name]()
    if half:
        p.ms.amp.auto_mixed_precision(net, "auto", p.ms.bfloat16)
    if name in ("mlp", "bert", "eager_mlp"):
        adam = p.nn.Adam(net.trainable_params(), 1e-4)
    return p.classifying(net, adam)


def _adds(x):
    y = x
    for _ in range(1000):
        y = y + x
    return y


def _done(out) -> None:
    """Wait for a result."""
    (out[0] if isinstance(out, tuple) else out).asnumpy()
