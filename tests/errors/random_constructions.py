"""Random models, datasets, transforms, optimisers and checkpoints, made of sensible things and of
nonsense and then used, in a process of its own: ``python random_constructions.py KINDS COUNT SEED
JOURNAL``, where KINDS are names of `MAKERS` with commas between.

Each ends in a result or in an error that names what was called, is of a class for users, and does not
say only what some operation inside said. The last line printed is a JSON list of the faults; the file
JOURNAL holds the program under way.
"""

from __future__ import annotations

import inspect
import itertools
import json
import os
import random
import re
import resource
import sys
import tempfile

import random_calls as calls

import minds as ms
import minds.dataset as ds
from minds import nn
from minds.base.errors import InternalError, is_raised
from minds.dataset import transforms, vision

SCOPE = {**calls.SCOPE, "ds": ds, "transforms": transforms, "vision": vision, "train": ms.train}
FILE = "<construction>"
ALLOWED = (TypeError, ValueError, IndexError, RuntimeError, OSError)
NETWORKS = """nn.Dense(3, 2) | nn.Dense(4, 1) | nn.SequentialCell(nn.Dense(3, 4), nn.ReLU()) |
    nn.Conv2d(1, 2, 3) | nn.ReLU() | nn.Flatten() | nn.Embedding(10, 3) | nn.LSTM(3, 4) | None |
    nn.Dense | (lambda x: x) | 'net' | 3 | nn.BatchNorm1d(3)"""
LOSSES = """nn.MSELoss() | nn.SoftmaxCrossEntropyWithLogits(sparse=True) | nn.CrossEntropyLoss() | None |
    nn.BCELoss() | nn.L1Loss() | 3 | 'mse' | ops.mse_loss | nn.Dense(3, 2) | (lambda a, b: a)"""
OPTIMIZERS = """nn.SGD(NET.trainable_params(), 0.1) | nn.Adam(NET.trainable_params()) | None | 3 | 'sgd' |
    nn.Momentum(NET.trainable_params(), 0.1, 0.9) | (lambda g: g) |
    nn.SGD(nn.Dense(5, 5).trainable_params(), 0.1)"""
DATASETS = """ds.NumpySlicesDataset({'x': np.ones((8, 3), 'f4'), 'y': np.ones((8, 2), 'f4')}).batch(4) |
    ds.NumpySlicesDataset({'x': np.ones((8, 3), 'f4'), 'y': np.ones(8, 'i4')}).batch(3) |
    ds.NumpySlicesDataset({'x': np.ones((8, 3), 'f4')}).batch(4) | None | 3 | [1, 2] |
    ds.GeneratorDataset([(np.ones(3, 'f4'), 'a')], ['x', 'y']).batch(1) |
    ds.NumpySlicesDataset({'x': np.ones((8, 1, 5, 5), 'f4'), 'y': np.ones(8, 'i4')}).batch(3) |
    ds.NumpySlicesDataset([1, 2, 3], ['x']) | ds.NumpySlicesDataset({'a': [1], 'b': [2], 'c': [3]}) |
    ds.GeneratorDataset(lambda: iter(()), ['x', 'y'])"""
CALLBACKS = """None | train.LossMonitor() | train.TimeMonitor() | [train.LossMonitor(2)] | 3 | 'cb' | [3] |
    train.Callback() | train.LossMonitor | train.LearningRateScheduler(lambda lr, s: 'a') |
    train.LambdaCallback(on_train_begin=3) | train.EarlyStopping(monitor='x') | train.History() |
    train.EarlyStopping(patience='a') | train.LambdaCallback(on_train_step_end=lambda: 0)"""
METRICS = """None | {'acc'} | ['loss'] | {'a': train.Accuracy()} | 3 | {'x': 3} | {'mse'} | 'acc' |
    {'nothing'} | {'top_5_accuracy'} | {'precision', 'recall'} | {'f1'}"""
PARAMETERS = """nn.Dense(3, 2).trainable_params() | [ms.Parameter(T((2,)), name='a')] | [] | [3] |
    [{'params': [ms.Parameter(T((2,)), name='a')], 'lr': 0.1}] | [{'a': 1}] | [{'params': 3}] |
    [ms.Parameter(T((2,)), name='a'), ms.Parameter(T((2,)), name='a')] | [{'params': []}]"""
GRADIENTS = """(T((2, 3)), T((2,))) | (T((2,)),) | () | 3 | None | (None,) | T((2,)) |
    (T((2,), 'int32'),) | (T((3,)),) | [T((2,))]"""
INPUTS = """np.ones((4, 5, 3), 'u1') | np.ones((4, 5), 'u1') | np.ones((3, 4, 5), 'f4') | np.ones(5) |
    np.zeros((0, 3)) | 'text' | b'abc' | np.array('some words') | 3 | None | np.array([1, 2, 3]) |
    [1, 2] | np.full((4, 5, 3), np.nan) | T((4, 5, 3)) | np.array(['a', 'b'])"""
STEPS = """batch({int}) | batch(2, {bool}, num_parallel_workers={int}) | map(lambda x: x, {str}) |
    map(3) | map([transforms.TypeCast(ms.int32)]) | map(lambda: 0) | shuffle({int}) | repeat({int}) |
    take({int}) | skip({int}) | zip(3) | filter(lambda x: x > 1) | filter(3) | project({str}) |
    rename({str}, {str}) | concat({object}) | split({list}) | padded_batch(2, pad_info={dict})"""


def one(rng, texts: str) -> str:
    return rng.choice([t.strip() for t in texts.split(" | ")])


def filled(rng, text: str) -> str:
    """A text with an argument for each type in braces."""
    return re.sub(r"\{(\w+)\}", lambda m: calls.an_argument(rng, m[1]), text)


def classes(module, base=object) -> list:
    found = [c for n, c in vars(module).items() if isinstance(c, type) and not n.startswith("_")]
    ours = [c for c in found if c.__module__.startswith("minds") and issubclass(c, base)]
    return [c for c in ours if not issubclass(c, (Exception, calls.enum.Enum))]


def made(rng, path: str, cls: type, first: str | None = None) -> str:
    """A constructor's call with random arguments, perhaps with a given first one."""
    target = calls.Target(f"{path}.{cls.__name__}", cls, False)
    args, named = target.random_arguments(rng, target.types)
    if first is not None and inspect.signature(cls).parameters:
        args = [first, *args[1:]]
        named.pop(next(iter(inspect.signature(cls).parameters)), None)
    return f"{path}." + calls.shown((cls.__name__, args, named))


def a_model(rng) -> str:
    parts = one(rng, LOSSES), one(rng, OPTIMIZERS), one(rng, METRICS)
    model = f"ms.Model(NET, {', '.join(parts)}" + rng.choice(["", "", ", amp_level='O2'"]) + ")"
    data, hooks = one(rng, DATASETS), one(rng, CALLBACKS)
    sink = rng.choice(["False", "True", "3"])
    call = rng.choice(
        [
            f"train({rng.choice('1 1 2 0 -1 1.5'.split())}, {data}, {hooks}, {sink})",
            f"eval({data}, {hooks}, dataset_sink_mode={sink})",
            f"predict({calls.an_argument(rng, 'Tensor')})",
            f"fit(1, {data}, {one(rng, DATASETS)}, callbacks={hooks}, dataset_sink_mode=False)",
            f"build({data}, {one(rng, DATASETS)})",
        ]
    )
    return f"(lambda NET: {model}.{call})({one(rng, NETWORKS)})"


def a_checkpoint(rng) -> str:
    def a_dict():
        names = "'weight' | 'bias' | 'x' | 3 | None"
        values = "T((2, 3)) | ms.Parameter(T((2, 3)), name='weight') | 'text' | 3 | {Tensor}"
        held = [
            f"{one(rng, names)}: {filled(rng, one(rng, values))}" for _ in range(rng.randrange(4))
        ]
        return "{" + ", ".join(held) + "}"

    network = one(rng, NETWORKS)
    what = rng.choice([a_dict(), network, calls.an_argument(rng, "list"), f"[{a_dict()}]"])
    file = one(rng, "'a.ckpt' | 'b' | 3 | None | 'a.safetensors' | '/nonexistent/a.ckpt'")
    return rng.choice(
        [
            f"ms.load_param_into_net({network}, {a_dict()})",
            f"ms.save_checkpoint({what}, {file}"
            + rng.choice(["", f", append_dict={a_dict()}"])
            + ")",
            f"nn.Dense(3, 2).load_state_dict({a_dict()})",
            f"ms.load_checkpoint('a.ckpt', {network})",
            f"ms.export({network}, {calls.an_argument(rng, 'Tensor')}, file_name='m')",
        ]
    )


def a_transform(rng) -> str:
    path, cls = rng.choice(
        [("transforms", c) for c in classes(transforms)] + [("vision", c) for c in classes(vision)]
    )
    called = f"{made(rng, path, cls)}({one(rng, INPUTS)})"
    mapped = (
        f"list(ds.GeneratorDataset([({one(rng, INPUTS)},)], ['x']).map({made(rng, path, cls)}))"
    )
    return called if rng.random() < 0.7 else mapped


def a_dataset(rng) -> str:
    cls = rng.choice(classes(ds, ds.Dataset))
    first = None
    if "Generator" in cls.__name__:
        first = one(rng, "[1, 2, 3] | (lambda: iter([(1, 2)])) | [(np.ones(2), 3)] | [{'a': 1}]")
    elif "NumpySlices" in cls.__name__:
        first = one(rng, "[1, 2, 3] | {'a': [1, 2]} | ([1, 2], [3, 4]) | np.ones((4, 2))")
    text = made(rng, "ds", cls, first)
    for _ in range(rng.randrange(3)):
        text += "." + filled(rng, one(rng, STEPS))
    return f"list(itertools.islice(iter({text}), 3))"


def an_optimizer(rng) -> str:
    cls = rng.choice(classes(nn, nn.Optimizer))
    return f"{made(rng, 'nn', cls, one(rng, PARAMETERS))}({one(rng, GRADIENTS)})"


MAKERS = {
    "model": a_model,
    "checkpoint": a_checkpoint,
    "transform": a_transform,
    "dataset": a_dataset,
    "optimizer": an_optimizer,
}


def judgement(e: Exception) -> str | None:
    """What is wrong with an exception, or None."""
    said = str(e).splitlines()[0] if str(e) else ""
    what = f"{type(e).__name__}: {said}"
    if not isinstance(e, (*ALLOWED, NotImplementedError, MemoryError)) or not said:
        return what
    if isinstance(e, InternalError):
        return what
    if not re.match(r"[A-Za-z_][\w.]*(\(\))?[:( \[]", said):
        return f"not named: {what}"
    cause = e.__cause__
    complaint = getattr(cause, "complaint", None)
    told = complaint is not None and complaint.inner is None or isinstance(cause, MemoryError)
    inside = cause is not None and not told and not is_raised(cause)
    first = str(cause).splitlines()[0] if inside and str(cause) else None
    return f"from inside: {what}" if first and said.endswith(f": {first}") else None


def main(kinds: list, count: int, seed: int, journal: str) -> list:
    faults, scope = [], {**SCOPE, "itertools": itertools}
    for kind in kinds:
        rng = random.Random(f"{kind} {seed}")
        for _ in range(count):
            text = MAKERS[kind](rng)
            with open(journal, "w") as log:
                log.write(text)
            ms.set_context(mode=rng.choice((ms.GRAPH_MODE, ms.PYNATIVE_MODE)))
            began = calls.time.monotonic(), calls.time.process_time()
            calls.watch(*began)
            try:
                with calls.quiet():
                    eval(compile(text, FILE, "eval"), scope)
            except calls.Late:
                faults.append(f"{text}: hangs")
            except Exception as e:
                fault = None if is_of_text(e) else judgement(e)
                faults += [f"{text}: {fault}"] if fault else []
            finally:
                calls.signal.setitimer(calls.signal.ITIMER_REAL, 0)
    return faults


def is_of_text(e: Exception) -> bool:
    """Whether the text itself failed, or a function that it has made, not what it calls."""
    at, files = e.__traceback__.tb_next, []
    while at is not None:
        files.append(at.tb_frame.f_code.co_filename)
        at = at.tb_next
    inside = list(itertools.dropwhile(lambda f: f == FILE, files))
    return not inside or FILE in inside


if __name__ == "__main__":
    resource.setrlimit(resource.RLIMIT_AS, (2 << 30, 2 << 30))
    os.chdir(tempfile.mkdtemp())
    out = main(sys.argv[1].split(","), int(sys.argv[2]), int(sys.argv[3]), sys.argv[4])
    print(json.dumps(out))
