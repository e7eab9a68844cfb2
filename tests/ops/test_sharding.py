"""Sharding rules, each row: an op that is computed part by part, for each factor that its rule has, is
the op computed at once, joined or reduced as the rule says.
"""

import functools

import numpy as np
import pytest
from rows import Row, normal, several
from test_rows import APART, ROWS

from minds import Tensor
from minds.base.options import freeze
from minds.jit.evaluate import _apply, value_of
from minds.jit.parsing import parse
from minds.ops.define import ATTR, TENSORS, Op, P
from minds.ops.sharding import operands_of, rule_of

JOIN = {"sum": np.add, "max": np.maximum, "min": np.minimum, "prod": np.multiply}


def _applications(row):
    """(op, parameters with tensors) of what a row computes."""
    tensors = row.sample(row.dtypes[-1] if row.dtypes[-1] != "bfloat16" else row.dtypes[0])
    ip, _ = parse(row, tuple(tensors), {}, freeze())
    values = dict(zip(ip.root.params, tensors))
    for n in ip.root:
        values[n] = _apply(n, values)
        if isinstance(n.fn, Op):
            args = zip(n.args, n.fn.kinds)
            params = [a.value if k == ATTR else value_of(a, values) for a, k in args]
            yield n.fn, params, values[n], n.abstract


def _divisor(n):
    return next((p for p in range(2, n + 1) if n % p == 0), None)


def _part(x, letters, letter, at, parts):
    """A part of a tensor, or of an attribute that is a shape."""
    if not isinstance(x, Tensor):
        return tuple([n // parts if c == letter else n for n, c in zip(x, letters)])
    a = x.asnumpy()
    for d, c in enumerate(letters):
        if c == letter:
            n = a.shape[d] // parts
            a = a.take(range(at * n, (at + 1) * n), d)
    return Tensor(a, x.dtype)


def _reached(x, dim, begin, end):
    return Tensor(x.asnumpy().take(range(begin, end), dim), x.dtype)


def _local(op, params, rule, letter, at, parts):
    left = iter(rule.operands)
    new = []
    for name, kind, p in zip(op.names, op.kinds, params):
        if kind == TENSORS:
            p = tuple([_part(t, next(left), letter, at, parts) for t in p])
        elif kind != ATTR and p is not None:
            p = _part(p, next(left), letter, at, parts)
        elif name in rule.attrs:
            p = _part(p, rule.attrs[name], letter, at, parts)
        new.append(p)
    for k, dim, spans in rule.reaches.get(letter, ()):
        new[k] = _reached(params[k], dim, *spans(at, parts))
    return new


def _check(op, params, out, abstract):
    """How many factors were tried."""
    seen = [
        tuple([t.abstract for t in p])
        if k == TENSORS
        else p
        if k == ATTR
        else getattr(p, "abstract", p)
        for p, k in zip(params, op.kinds)
    ]
    rule = rule_of(op, seen, abstract)
    if rule is None:
        return 0
    outs = out if isinstance(out, tuple) else (out,)
    shapes = [t.shape for t in operands_of(op, params)]
    tried = 0
    for letter, size in rule.sizes(tuple(shapes), tuple(o.shape for o in outs)).items():
        parts = _divisor(size)
        if parts is None:
            continue
        tried += 1
        found = []
        for at in range(parts):
            fn = op
            if letter in rule.local:
                fn = functools.partial(rule.local[letter], part=at, parts=parts)
            if letter in rule.reaches:
                fn = functools.partial(rule.compute, places={letter: (at, parts)})
            one = fn(*_local(op, params, rule, letter, at, parts))
            found.append([o.asnumpy() for o in (one if isinstance(one, tuple) else (one,))])
        for letters, whole, pieces in zip(rule.results, outs, zip(*found)):
            if letter in letters:
                joined = np.concatenate(pieces, letters.index(letter))
            elif any(letter in own for own in rule.operands):
                joined = functools.reduce(JOIN[rule.how], pieces)
            else:
                joined = pieces[0]
            assert joined.shape == whole.shape
            np.testing.assert_allclose(
                joined,
                whole.asnumpy(),
                rtol=1e-4,
                atol=1e-5,
                err_msg=f"{op.name} along {letter}: {rule}",
            )
    return tried


def _row(name, call, *shapes):
    return Row(name, several(*[normal(*s) for s in shapes]), None, call, ("float32",))


INDEX = np.array([[0, 1, 1, 0], [1, 0, 0, 1]])
PLAIN = (1, 1), (0, 0, 0, 0), (1, 1)
# Rows whose operands are too small to be divided, larger.
LARGER = [
    _row("concat", lambda x, y: P.concat((x, y), 0), (2, 4), (3, 4)),
    _row("pad", lambda x: P.pad(x, ((0, 0), (1, 2)), 0.5), (4, 3)),
    _row("strided_slice", lambda x: P.strided_slice(x, (0, 1), (4, 3), (1, 1)), (4, 5)),
    _row(
        "strided_slice_dx", lambda d: P.strided_slice_dx(d, (4, 5), (0, 1), (4, 3), (1, 1)), (4, 2)
    ),
    _row("gather_d", lambda x: P.gather_d(x, 0, Tensor(INDEX)), (2, 4)),
    _row("scatter_add_d", lambda x, s: P.scatter_add_d(x, 0, Tensor(INDEX), s), (2, 4), (2, 4)),
    _row("conv2d", lambda x, w: P.conv2d(x, w, *PLAIN, 2), (2, 4, 4, 4), (6, 2, 3, 3)),
    _row(
        "conv2d_dx",
        lambda d, w: P.conv2d_dx(d, w, (2, 4, 4, 4), *PLAIN, 2),
        (2, 6, 2, 2),
        (6, 2, 3, 3),
    ),
    _row(
        "conv2d_dw",
        lambda x, d: P.conv2d_dw(x, d, (6, 2, 3, 3), *PLAIN, 2),
        (2, 4, 4, 4),
        (2, 6, 2, 2),
    ),
    _row("max_pool2d", lambda x: P.max_pool2d(x, (2, 2)), (2, 4, 4, 4)),
]
# Windows that overlap, leave something out, reach over the edges unevenly, and are far apart.
WINDOWS = (
    ((3, 3), (1, 1), (1, 1, 1, 1), (1, 1)),
    ((3, 2), (2, 2), (1, 0, 0, 0), (1, 1)),
    ((5, 3), (2, 1), (2, 1, 0, 2), (1, 1)),
    ((3, 3), (1, 2), (2, 2, 2, 1), (2, 2)),
    ((2, 1), (3, 2), (0, 0, 0, 0), (1, 1)),
    ((2, 2), (3, 3), (1, 1, 1, 1), (1, 1)),
)
IMAGE = (1, 2, 12, 12)


def _windowed():
    for kernel, stride, pad, dilation in WINDOWS:
        about, w = (stride, pad, dilation, 1), (3, 2, *kernel)
        plain = dilation == (1, 1)
        out = P.conv2d(
            Tensor(np.zeros(IMAGE, np.float32)), Tensor(np.zeros(w, np.float32)), *about
        ).shape
        pooled = (1, 2, *out[2:])
        yield "conv2d", lambda x, w, a=about: P.conv2d(x, w, *a), (IMAGE, w)
        yield "conv2d_dx", lambda d, w, a=about: P.conv2d_dx(d, w, IMAGE, *a), (out, w)
        yield "conv2d_dw", lambda x, d, a=about, w=w: P.conv2d_dw(x, d, w, *a), (IMAGE, out)
        if not plain or any(p >= k for p, k in zip(pad, (kernel[0],) * 2 + (kernel[1],) * 2)):
            continue
        yield "max_pool2d", lambda x, k=kernel, s=stride, p=pad: P.max_pool2d(x, k, s, p), (IMAGE,)
        about = kernel, stride, pad
        for counts in (True, False):
            yield "avg_pool2d", lambda x, a=(*about, counts): P.avg_pool2d(x, *a), (IMAGE,)
            yield (
                "avg_pool2d_dx",
                lambda d, a=(*about, counts): P.avg_pool2d_dx(d, IMAGE, *a),
                (pooled,),
            )

        def back(x, d, about=about):
            windows = [(about[1][i], about[0][i], about[2][2 * i]) for i in (0, 1)]
            index = P.max_pool2d(x, *about)[1]
            return P.max_pool2d_dx(d, index, IMAGE, (*windows[0], *windows[1]))

        yield "max_pool2d_dx", back, (IMAGE, pooled)


WINDOWED = [_row(name, call, *shapes) for name, call, shapes in _windowed()]


@pytest.mark.parametrize("row", WINDOWED, ids=str)
def test_windows_in_parts(row):
    tried = sum(_check(*application) for application in _applications(row))
    assert tried >= 1


WHOLE = {
    "depend",
    "placed",
    "staged",
    "cotangent",
    "scalar_to_tensor",
    "search",
    "attention",
    "attention_dx",
    "batch_norm_relu",
    "batch_norm_relu_dx",
    "arange",
    "eye",
    "full",
}
"""Ops that must not be divided: a number, or all of an operand is needed, or position matters."""


CHECKED = [r for r in ROWS + LARGER if r.op not in APART]


@pytest.mark.parametrize("row", CHECKED, ids=str)
def test_parts(row):
    for application in _applications(row):
        _check(*application)


def test_every_op_can_be_divided():
    tried = dict.fromkeys([r.op for r in CHECKED], 0)
    for row in CHECKED:
        tried[row.op] += sum(_check(*a) for a in _applications(row))
    assert {op for op, count in tried.items() if not count} == WHOLE
