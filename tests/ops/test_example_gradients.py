"""The examples of the documentation as test cases of gradients: what a public function gives for
floating point tensors is moved a little, and its derivative in a random direction must be the
difference, or an error. A gradient that is silently zero shows here.
"""

import ast
import doctest

import numpy as np
import pytest

import minds as ms
from minds import Tensor, mint, ops
from minds.base.errors import NoGradient

SPACES = {
    "ops": ops,
    "mint": mint,
    "mint.nn.functional": mint.nn.functional,
    "mint.linalg": mint.linalg,
    "mint.special": mint.special,
    "numpy": ms.numpy,
}
APART = {
    "cholesky": "symmetric matrices are moved as such",
    "assign": "what is written to a parameter passes nothing on",
    "assign_add": "likewise",
    "assign_sub": "likewise",
    "inplace_index_add": "likewise",
}
NOT_REPEATED = (
    "max_norm",  # scales rows of the table in place, and the gradient is that of the lookup alone
    "rand",
    "dropout",
    "normal",
    "bernoulli",
    "shuffle",
    "multinomial",
    "gumbel",
    "rrelu",
)
NOT_ALONE = ("grad(", "jit(", "vmap(", "asnumpy(", "print")
NAMES = {"ops": ops, "mint": mint, "ms": ms, "Tensor": Tensor}


class _Lifted(ast.NodeTransformer):
    """Replaces tensors of floating point literals by variables."""

    def __init__(self):
        self.values = []

    def visit_Call(self, node):
        if isinstance(node.func, ast.Name) and node.func.id == "Tensor" and node.args:
            try:
                value = np.array(ast.literal_eval(node.args[0]))
            except ValueError:
                return self.generic_visit(node)
            if value.dtype.kind == "f" and value.size and np.isfinite(value).all():
                self.values.append(value)
                return ast.parse(f"values[{len(self.values) - 1}]", mode="eval").body
        return self.generic_visit(node)


def _cases():
    found = {}
    for space, module in SPACES.items():
        for name in sorted(vars(module).keys() | set(dir(module))):
            fn = getattr(module, name)
            if name.startswith("_") or name in APART or isinstance(fn, type) or not callable(fn):
                continue
            for example in doctest.DocTestParser().get_examples(fn.__doc__ or ""):
                case = _lifted(example.source)
                if case is not None:
                    found.setdefault(case[0], (f"{space}.{name}", *case))
    return list(found.values())


def _lifted(source: str):
    """(source in terms of ``values``, the values), or None."""
    body = ast.parse(source).body
    value = getattr(body[0], "value", None) if len(body) == 1 else None
    if isinstance(value, ast.Call) and getattr(value.func, "id", "") == "print":
        value = value.args[0]
    lifted = _Lifted()
    if value is None or isinstance(body[0], ast.Assign) and not isinstance(value, ast.Call):
        return None
    text = ast.unparse(lifted.visit(value))
    names = {n.id for n in ast.walk(value) if isinstance(n, ast.Name)}
    bound = {a.arg for n in ast.walk(value) if isinstance(n, ast.Lambda) for a in n.args.args}
    alone = names - bound <= NAMES.keys() | {"values", "float", "int", "range", "len"}
    if not lifted.values or not alone or any(w in text for w in NOT_REPEATED + NOT_ALONE):
        return None
    return text, lifted.values


@pytest.mark.parametrize(
    "name,text,values", _cases(), ids=lambda v: v if isinstance(v, str) else ""
)
def test_gradient_of_an_example(name, text, values):
    rng = np.random.default_rng(1)
    # Off the points where functions have kinks, towards zero: that stays inside of their domains.
    point = [
        v - np.where(v == 0, -1, np.sign(v)) * rng.uniform(0.01, 0.03, v.shape) for v in values
    ]
    weights = {}

    def weighted(*values):
        out = eval(text, {**NAMES, "values": values})
        total = Tensor(0.0, ms.float64)
        for i, o in enumerate(out if isinstance(out, (tuple, list)) else (out,)):
            if isinstance(o, Tensor) and o.dtype.is_inexact:
                w = weights.setdefault(i, rng.standard_normal(o.shape))
                total = total + (ops.real(o) * Tensor(w)).sum()
        return total

    def at(h):
        return float(weighted(*[Tensor(p + h * d) for p, d in zip(point, along, strict=True)]))

    along = [rng.standard_normal(p.shape) for p in point]
    try:
        grads = ms.grad(weighted, tuple(range(len(point))))(*map(Tensor, point))
    except NoGradient:
        return
    grads = grads if isinstance(grads, tuple) else (grads,)
    slope = sum(float((g.asnumpy() * d).sum()) for g, d in zip(grads, along, strict=True))
    difference = (at(1e-6) - at(-1e-6)) / 2e-6
    assert slope == pytest.approx(difference, rel=1e-3, abs=1e-3, nan_ok=True)
