"""The workloads in torch: eager, channels_last, or by torch.compile."""

from __future__ import annotations

import torch
from cases import BERT, GPT, LSTM, MLP, data
from torch import nn
from torch.nn import functional as F

LIMIT = 1e4


def lenet():
    return nn.Sequential(
        *(nn.Conv2d(1, 6, 5), nn.ReLU(), nn.MaxPool2d(2), nn.Conv2d(6, 16, 5), nn.ReLU()),
        *(nn.MaxPool2d(2), nn.Flatten(), nn.Linear(400, 120), nn.ReLU(), nn.Linear(120, 84)),
        *(nn.ReLU(), nn.Linear(84, 10)),
    )


def mlp(sizes):
    layers = []
    for a, b in zip(sizes, sizes[1:]):
        layers += [nn.Linear(a, b), nn.ReLU()]
    return nn.Sequential(*layers[:-1])


def conv(inputs, outputs, size, stride=1):
    return nn.Sequential(
        nn.Conv2d(inputs, outputs, size, stride, size // 2, bias=False), nn.BatchNorm2d(outputs)
    )


class Block(nn.Module):
    """A residual block, basic or bottleneck."""

    def __init__(self, inputs, width, stride, bottleneck):
        super().__init__()
        outputs = 4 * width if bottleneck else width
        shapes = [(inputs, width, 3, stride), (width, width, 3, 1)]
        if bottleneck:
            shapes = [(inputs, width, 1, 1), (width, width, 3, stride), (width, outputs, 1, 1)]
        layers = []
        for shape in shapes:
            layers += [conv(*shape), nn.ReLU(inplace=True)]
        self.body = nn.Sequential(*layers[:-1])
        self.down = conv(inputs, outputs, 1, stride) if stride != 1 or inputs != outputs else None

    def forward(self, x):
        return F.relu(self.body(x) + (x if self.down is None else self.down(x)), inplace=True)


class ResNet(nn.Module):
    def __init__(self, counts, bottleneck, classes, small):
        super().__init__()
        stem = [conv(3, 64, 3), nn.ReLU()]
        if not small:
            stem = [conv(3, 64, 7, 2), nn.ReLU(), nn.MaxPool2d(3, 2, 1)]
        blocks, inputs = [], 64
        for stage, count in enumerate(counts):
            width = 64 * 2**stage
            for n in range(count):
                blocks.append(Block(inputs, width, 2 if stage and n == 0 else 1, bottleneck))
                inputs = 4 * width if bottleneck else width
        self.features = nn.Sequential(*stem, *blocks)
        self.head = nn.Linear(inputs, classes)

    def forward(self, x):
        return self.head(self.features(x).mean((2, 3)))


class Layer(nn.Module):
    """A transformer layer by torch's fused attention."""

    def __init__(self, width, heads, causal):
        super().__init__()
        self.heads, self.causal = heads, causal
        self.norm1, self.norm2 = nn.LayerNorm(width), nn.LayerNorm(width)
        self.qkv, self.out = nn.Linear(width, 3 * width), nn.Linear(width, width)
        self.up, self.down = nn.Linear(width, 4 * width), nn.Linear(4 * width, width)

    def forward(self, x):
        n, t, w = x.shape
        q, k, v = self.qkv(self.norm1(x)).view(n, t, 3, self.heads, -1).permute(2, 0, 3, 1, 4)
        mixed = F.scaled_dot_product_attention(q, k, v, is_causal=self.causal)
        x = x + self.out(mixed.transpose(1, 2).reshape(n, t, w))
        return x + self.down(F.gelu(self.up(self.norm2(x))))


class Encoder(nn.Module):
    def __init__(self, sizes, causal):
        super().__init__()
        width = sizes["width"]
        self.words = nn.Embedding(sizes["words"], width)
        self.places = nn.Parameter(torch.zeros(sizes["length"], width))
        layers = [Layer(width, sizes["heads"], causal) for _ in range(sizes["layers"])]
        self.layers, self.norm = nn.Sequential(*layers), nn.LayerNorm(width)

    def forward(self, ids):
        return self.norm(self.layers(self.words(ids) + self.places))


class Bert(nn.Module):
    def __init__(self):
        super().__init__()
        self.encoder, self.head = Encoder(BERT, False), nn.Linear(BERT["width"], 2)

    def forward(self, ids):
        return self.head(self.encoder(ids)[:, 0])


class Squared(nn.Module):
    def __init__(self):
        super().__init__()
        self.lstm = nn.LSTM(LSTM["inputs"], LSTM["units"])

    def forward(self, x):
        y, _ = self.lstm(x)
        return (y * y).mean()


def chain(x):
    y = torch.tanh(x * 0.5 + 1.0) * torch.sigmoid(x) - torch.exp(-x * x)
    return (y * y / (1.0 + torch.abs(x)) + F.relu(y) * 0.1).sum()


def grow(x, w):
    s = (x * x).sum()
    while s < LIMIT:
        x = x + torch.tanh(x @ w) * 0.5 + 0.01
        s = (x * x).sum()
    return s


NETWORKS = {
    "lenet": lenet,
    "mlp": lambda: mlp(MLP),
    "eager_mlp": lambda: mlp((64, 64, 10)),
    "resnet18": lambda: ResNet((2, 2, 2, 2), False, 10, True),
    "resnet50": lambda: ResNet((3, 4, 6, 3), True, 1000, False),
    "bert": Bert,
}


def make(framework: str, case: str):
    """A call that does one repetition, and gives the loss where there is one."""
    inputs = [torch.from_numpy(v).to(torch.get_default_device()) for v in data(case)]
    name, half = case.removesuffix("_bf16"), case.endswith("_bf16")
    compiled = torch.compile if framework == "torch.compile" else lambda f: f
    if name in ("elementwise", "loop"):
        return _gradient(compiled(chain if name == "elementwise" else grow), inputs)
    if name in ("gemm", "copy"):
        inputs = [v.bfloat16() for v in inputs] if half else inputs
        return (lambda: inputs[0] @ inputs[1]) if name == "gemm" else (lambda: inputs[0] * 2.0)
    if name == "eager_adds":
        return lambda: _adds(*inputs)
    last = framework == "torch channels_last"
    if last:
        inputs[0] = inputs[0].contiguous(memory_format=torch.channels_last)
    if name == "gpt_int8":
        net = torch.ao.quantization.quantize_dynamic(_gpt().eval(), {nn.Linear}, torch.qint8)
        return _inference(net, inputs)
    if name in ("gpt", "resnet50_inference"):
        net = NETWORKS["resnet50"]() if name != "gpt" else _gpt()
        net = net.to(memory_format=torch.channels_last) if last else net
        return _inference(compiled(net.eval()), inputs)
    net = Squared() if name == "lstm" else NETWORKS[name]()
    net = net.to(memory_format=torch.channels_last) if last else net
    return _training(name, compiled(net), half, inputs)


def _gpt():
    return nn.Sequential(Encoder(GPT, True), nn.Linear(GPT["width"], GPT["words"], bias=False))


def _gradient(fn, inputs):
    inputs = [x.requires_grad_() for x in inputs]

    def run():
        for x in inputs:
            x.grad = None
        fn(*inputs).backward()

    return run


def _inference(net, inputs):
    def run():
        with torch.inference_mode():
            net(*inputs)

    return run


def _training(name: str, net, half: bool, inputs):
    if name in ("mlp", "bert", "eager_mlp"):
        optimizer = torch.optim.Adam(net.parameters(), 1e-4, fused=True)
    else:
        optimizer = torch.optim.SGD(net.parameters(), 0.01, 0.0 if name == "lstm" else 0.9)
    x, *labels = inputs
    labels = [y.long() for y in labels]

    def step():
        optimizer.zero_grad()
        with torch.autocast("cpu", torch.bfloat16, enabled=half):
            out = net(x)
        loss = F.cross_entropy(out.float(), *labels) if labels else out
        loss.backward()
        optimizer.step()
        return loss.item()

    return step


def _adds(x):
    y = x
    for _ in range(1000):
        y = y + x
    return y
