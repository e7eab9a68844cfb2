"""The parameters of optimisers and training steps as a framework lists them: path, name, whether it is
trained, shape and dtype. `python optimizer_states.py FILE` records those of MindSpore.
"""

import json
import sys

import numpy as np

KINDS = """SGD Momentum Adam AdamWeightDecay Lamb Adagrad RMSProp ProximalAdagrad FTRL LazyAdam AdaMax
    Adadelta Rprop ASGD AdamOffload""".split()
LATER = "Adadelta Adagrad Adam AdamW Adamax ASGD NAdam RAdam RMSprop Rprop SGD".split()


def _sorts(name: str) -> dict:
    """How a parameter group may be given: by an option of the optimiser."""
    rate = {"learning_rate": 0.1, **({"momentum": 0.9} if name == "Momentum" else {})}
    groups = {
        "": lambda p: (p, rate),
        "list": lambda p: (p, {**rate, "learning_rate": [0.1, 0.2]}),
        "groups": lambda p: ([{"params": p[:1], "lr": 0.05}, {"params": p[1:]}], rate),
        "ordered": lambda p: (
            [{"params": p[1:], "lr": [0.1, 0.2]}, {"params": p[:1]}, {"order_params": p}],
            rate,
        ),
    }
    return {"": groups[""]} if name == "FTRL" else groups


def makers(ms) -> dict:
    """By the name of a case, what makes an optimiser of parameters."""
    nn, later, mint = ms.nn, ms.experimental.optim, ms.mint.optim
    found = {}
    for name in KINDS:
        for sort, of in _sorts(name).items():

            def made(p, n=name, of=of):
                return getattr(nn, n)(of(p)[0], **of(p)[1])

            found[f"nn.{name} {sort}"] = made
            if sort != "ordered" and name in ("SGD", "Adam"):
                found[f"nn.LARS {name} {sort}"] = lambda p, made=made: nn.LARS(made(p))
                found[f"nn.LARS clip {name} {sort}"] = lambda p, of=made: nn.LARS(
                    of(p), use_clip=True
                )
    found |= {
        "nn.Adam amsgrad": lambda p: nn.Adam(p, use_amsgrad=True),
        "nn.RMSProp centered": lambda p: nn.RMSProp(p, centered=True),
        "nn.AdaFactor": lambda p: nn.AdaFactor(p),
        "nn.AdaFactor beta1": lambda p: nn.AdaFactor(p, beta1=0.9),
        "nn.AdaFactor compression": lambda p: nn.AdaFactor(p, compression=True),
    }
    for space, home, names in (("later", later, LATER), ("mint", mint, ("SGD", "Adam", "AdamW"))):
        for name in names:
            found[f"{space}.{name}"] = lambda p, o=getattr(home, name): o(p, lr=0.1)
            found[f"{space}.{name} groups"] = lambda p, o=getattr(home, name): o(
                [{"params": p[:1], "lr": 0.2}, {"params": p[1:]}], lr=0.1
            )
    return found


def network(ms):
    class Inner(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.weight = ms.Parameter(ms.Tensor(np.ones((2, 3)), ms.float32), name="weight")
            self.beta = ms.Parameter(ms.Tensor(np.ones(3), ms.float32), name="beta")

        def construct(self, x):
            return (x @ self.weight + self.beta).sum()

    class Net(ms.nn.Cell):
        def __init__(self):
            super().__init__()
            self.inner = Inner()
            self.scale = ms.Parameter(ms.Tensor(0.5, ms.float32), name="scale")
            self.kept = ms.Parameter(ms.Tensor([1.0]), name="kept", requires_grad=False)

        def construct(self, x):
            return self.inner(x) * self.scale + self.kept

    return Net()


def listed(cell) -> list:
    return [
        [path, p.name, bool(p.requires_grad), list(p.shape), str(p.dtype)]
        for path, p in cell.parameters_and_names()
    ]


def states(ms, case: str) -> dict:
    net = network(ms)
    optimizer = makers(ms)[case](net.trainable_params())
    found = {
        "optimizer": listed(optimizer),
        "parameters": [p.name for p in optimizer.parameters],
    }
    if case.startswith("nn."):
        step = ms.nn.TrainOneStepCell(net, optimizer)
        found["step"] = [row[0] for row in listed(step)]
    return found


if __name__ == "__main__":
    import mindspore

    dense = json.JSONEncoder(separators=(",", ":")).encode
    everything = {case: states(mindspore, case) for case in makers(mindspore)}
    with open(sys.argv[1], "w") as f:
        f.write("{\n" + ",\n".join(f'"{k}": {dense(v)}' for k, v in everything.items()) + "\n}\n")
