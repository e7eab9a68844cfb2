"""A public parameter that nothing reads is an option that is ignored: forbidden, unless the
documentation says that it has no effect.
"""

import ast
import functools
import pathlib
import re

import pytest

import minds
from minds.ops.docs import COMMON

ROOT = pathlib.Path(minds.__file__).parent
PROTOCOL = set("begin bprop construct end epoch_begin epoch_end step_begin step_end".split())
"""Methods whose parameters are those of what they override."""

INNER = {"ad", "base", "batch", "compat", "frontend", "ir", "jit", "lower", "passes", "show"}
SAID = re.compile(
    r"no effect|without effect|always|makes no difference|accepted|of no meaning|not supported"
)
_ENTRY = re.compile(r"\n(?=    \S)")


def _says_so(doc: str, name: str) -> bool:
    """Whether a docstring says of a parameter that it has no effect."""
    for entry in _ENTRY.split(doc):
        head, _, text = entry.partition(":")
        while text and head.count("(") > head.count(")"):  # the colon was inside of a type
            more, _, text = text.partition(":")
            head += ":" + more
        if re.search(rf"\b{re.escape(name)}\b", head):
            return bool(SAID.search(" ".join(text.split())))
    return False


def _is_hook(body: list) -> bool:
    """Whether a function does nothing: subclasses do."""
    return all(
        isinstance(s, (ast.Pass, ast.Raise))
        or isinstance(s, (ast.Expr, ast.Return))
        and isinstance(s.value, (ast.Constant, type(None)))
        for s in body
    )


def _functions(tree: ast.Module):
    """Public functions with the docstrings that speak of their parameters, and whether they are a
    face, whose docstring is made.
    """
    stack = [(tree, None)]
    while stack:
        scope, cls = stack.pop()
        for node in ast.iter_child_nodes(scope):
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                stack.append((node, node))
            elif isinstance(node, ast.FunctionDef):
                decorators = [ast.unparse(d).partition("(")[0] for d in node.decorator_list]
                face = not {"face", "primitive"}.isdisjoint(decorators)
                public = not node.name.startswith("_") or cls and node.name == "__init__"
                defined = any(
                    d.rpartition(".")[2] in ("op", "_hosted", "finding") for d in decorators
                )
                hook = _is_hook(node.body) and "takes" not in decorators
                if (public or face) and not defined and not hook:
                    own = ast.get_docstring(cls) if cls else ""
                    yield (
                        node,
                        cls,
                        (own or "") + "\n\n" + (ast.get_docstring(node) or ""),
                        face,
                    )


@functools.cache
def _attributes(folder: pathlib.Path) -> set[str]:
    """The names of the attributes that the files of a folder read, of whatever object."""
    trees = [ast.parse(path.read_text()) for path in folder.glob("*.py")]
    return {
        n.attr
        for tree in trees
        for n in ast.walk(tree)
        if isinstance(n, ast.Attribute) and isinstance(n.ctx, ast.Load)
    }


def unread(path: pathlib.Path) -> list[str]:
    """The parameters in a file that nothing reads, and of which nothing is said. What has no
    documented parameters is not public.
    """
    found = []
    for node, cls, doc, face in _functions(ast.parse(path.read_text())):
        if "Args:" not in doc and not face:
            continue
        a = node.args
        names = [p.arg for p in (*a.posonlyargs, *a.args, *a.kwonlyargs)][1 if cls else 0 :]
        if node.name in PROTOCOL or node.name.startswith("on_"):
            continue
        read = {n.id for s in node.body for n in ast.walk(s) if isinstance(n, ast.Name)}
        if any(ast.unparse(d).startswith("takes(") for d in node.decorator_list):
            # The decorator keeps the arguments as attributes, which base classes read too.
            read |= _attributes(path.parent)
        for name in names:
            if (
                not {name, "locals"}.isdisjoint(read)
                or name.startswith("_")
                or face
                and name == "self"
            ):
                continue
            if not _says_so(doc, name) and not (face and SAID.search(COMMON.get(name, ""))):
                found.append(f"{path.relative_to(ROOT)}:{node.lineno} {node.name}({name})")
    return found


@pytest.mark.parametrize(
    "package", sorted({p.name for p in ROOT.iterdir() if p.is_dir()} - INNER) + ["."]
)
def test_every_public_parameter_is_read(package):
    files = (ROOT / package).rglob("*.py") if package != "." else ROOT.glob("*.py")
    found = [line for path in files for line in unread(path)]
    assert not found, "\n".join(found)


KEPT = '''class A:
    """A.

    Args:
        a (int): one.
    """

    @takes(a=count, b=count)
    def __init__(self, a, b):
        pass

    def f(self):
        self.b = self.a
'''


def test_the_lint_finds_one(tmp_path):
    file = tmp_path / "bad.py"
    file.write_text(
        'def f(a, b=1, c=2):\n    """F.\n\n    Args:\n        c (int): accepted.\n    """\n    return a\n'
    )
    (tmp_path / "kept.py").write_text(KEPT)
    globals()["ROOT"], saved = tmp_path, ROOT
    try:
        assert unread(file) == ["bad.py:1 f(b)"]
        assert unread(tmp_path / "kept.py") == ["kept.py:9 __init__(b)"]
    finally:
        globals()["ROOT"] = saved
