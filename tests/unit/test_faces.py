"""Faces: each is listed once, all are found, and a new op with all of them is one row in one file."""

import ast
import doctest
import inspect
import json
import os
import pathlib
import subprocess
import sys

import pytest

import minds as ms
from minds import mint, ops
from minds import numpy as mnp
from minds.ops import define, functional, inplace_methods
from minds.ops.define import Op, P
from minds.ops.faces import KINDS, camel, offer, offered

PACKAGE = pathlib.Path(ms.__file__).parent


def _trees():
    for path in PACKAGE.rglob("*.py"):
        yield ast.parse(path.read_text(encoding="utf-8"))


def _fields(cls) -> set:
    """What `__init__` sets."""
    tree = ast.parse(inspect.cleandoc(inspect.getsource(cls.__init__)))
    return {
        n.attr
        for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Store)
    }


def test_every_field_of_an_op_is_read():
    read = {
        n.attr
        for tree in _trees()
        for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
    }
    prescribed = {"__doc__", "__wrapped__"}
    assert _fields(Op) - prescribed <= read


def test_every_option_is_documented():
    documented = inspect.getdoc(define.op)
    options = set(inspect.signature(Op.__init__).parameters) - {"self", "fn"} | set(KINDS)
    for option in options - {"property"}:
        assert option in documented, option


def test_a_face_is_listed_once():
    with pytest.raises(ValueError, match="the method 'sin' is given to"):
        offer(P.cos, "sin", method=True)
    given = {*offered("function"), *offered("alias")}
    defined = [n for m in functional._FAMILIES for n, _ in functional.public_of(m)]
    assert len(offered("function")) + len(offered("alias")) == len(given)
    assert not given & set(defined) and len(defined) == len(set(defined))


@pytest.mark.parametrize("kind", [k for k in KINDS if k != "sparse"])
def test_every_face_is_offered(kind):
    for name in offered(kind):
        owner = {"mint": mint, "numpy": mnp, "inner": ops.operations}.get(
            kind, ms.Tensor if kind in ("method", "property") else ops
        )
        for part in name.split("."):
            owner = getattr(owner, part)
        assert owner.__doc__, name


def _run_examples(doc: str, name: str) -> None:
    space = {"ms": ms, "ops": ops, "Tensor": ms.Tensor}
    found = doctest.DocTestParser().get_doctest(doc, space, name, None, 0)
    runner = doctest.DocTestRunner(optionflags=doctest.NORMALIZE_WHITESPACE)
    assert runner.run(found).failed == 0, name


def test_examples_of_classes():
    """A class has the function's examples, which call the class where it has no attributes."""
    docs = {name: getattr(ops, name).__doc__ for name in offered("cls")}
    called = {name: doc for name, doc in docs.items() if f"ops.{name}(" in doc}
    assert len(called) > 150
    for name, doc in called.items():
        _run_examples(doc, name)


def test_examples_of_methods_that_differ_from_the_function():
    own = [name for name, found in offered("method").items() if found.like]
    for name in (*own, *offered("property"), *inplace_methods.TABLE):
        _run_examples(getattr(ms.Tensor, name).__doc__ or "", name)


def _offers(kind: str, op) -> bool:
    found = offered(kind).get(camel(op.name) if kind == "cls" else op.name)
    return found is not None and found.target is op


def test_elementwise_faces_have_whole_docstrings():
    for op in P:
        kinds = [k for k in ("function", "method", "cls", "numpy") if _offers(k, op)]
        if op.elementwise and "function" in kinds:
            owners = {"function": ops, "method": ms.Tensor, "cls": ops, "numpy": mnp}
            for kind in kinds:
                name = camel(op.name) if kind == "cls" else op.name
                doc = getattr(owners[kind], name).__doc__
                given = "Inputs" if kind == "cls" else "Args"
                for section in (
                    given,
                    "Outputs" if kind == "cls" else "Returns",
                    "Raises",
                    "Examples",
                ):
                    assert f"{section}:\n" in doc, (op.name, kind, section)


ROW = """

versine = unary(
    "versine",
    r"The versine :math:`1 - \\\\cos x`.",
    "ops.versine(Tensor([0.0])) -> [0.]",
    lambda x, out, dout: dout * P.sin(x),
    function="versine versed_sine",
    alias="tensor_versine",
    method="versine versine_",
)


@versine.decompose
def _(x):
    return 1 - P.cos(x)
"""

USE = """
import json
import minds as ms, numpy as np
from minds import Tensor, mint, ops
from minds import numpy as mnp
x = Tensor([0.0, 1.0, 2.0])
rows = Tensor([[0.0, 1.0], [2.0, 3.0]])
changed = Tensor([0.0, 1.0, 2.0])
changed.versine_()
found = {
    "function": ops.versine(x), "another name": ops.versed_sine(x), "alias": ops.tensor_versine(x),
    "compiled": ms.jit(ops.versine)(x), "method": x.versine(),
    "compiled method": ms.jit(lambda v: v.versine())(x), "in place": changed,
    "class": ops.Versine()(x), "mint": mint.versine(x), "numpy": mnp.versine(np.array([0, 1, 2])),
}
gradient, sine = ms.grad(lambda v: ops.versine(v).sum())(x), ops.sin(x)
print(json.dumps({
    "values": {k: v.asnumpy().tolist() for k, v in found.items()},
    "gradient": np.allclose(gradient.asnumpy(), sine.asnumpy()),
    "batched": np.allclose(ms.vmap(ops.versine)(rows).asnumpy(), ops.versine(rows).asnumpy()),
    "docs": [f.__doc__ for f in (ops.versine, Tensor.versine, ops.Versine, mint.versine, mnp.versine)],
}))
"""


def test_a_new_op_with_all_faces_is_one_row(tmp_path):
    """The package with one file changed: everything else is a link to what is there."""
    copy = tmp_path / "minds"
    for folder in (copy, copy / "ops"):
        folder.mkdir()
        source = PACKAGE if folder == copy else PACKAGE / "ops"
        for entry in source.iterdir():
            if entry.name not in ("ops", "trig.py", "__pycache__"):
                (folder / entry.name).symlink_to(entry)
    text = (PACKAGE / "ops" / "trig.py").read_text(encoding="utf-8")
    (copy / "ops" / "trig.py").write_text(text + ROW, encoding="utf-8")
    (tmp_path / "use.py").write_text(USE, encoding="utf-8")
    run = subprocess.run(
        [sys.executable, "use.py"],
        env={**os.environ, "PYTHONPATH": str(tmp_path), "PYTHONDONTWRITEBYTECODE": "1"},
        cwd=tmp_path,
        capture_output=True,
        text=True,
    )
    assert run.returncode == 0, run.stderr
    found = json.loads(run.stdout.splitlines()[-1])
    assert len({tuple(round(v, 6) for v in vs) for vs in found["values"].values()}) == 1
    assert found["gradient"] and found["batched"]
    for doc in found["docs"]:
        assert "versine" in doc and "Args" in doc.replace("Inputs", "Args") and "Raises" in doc
        assert "Examples" in doc
