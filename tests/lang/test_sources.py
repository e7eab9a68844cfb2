"""What is compiled is the code that Python runs, whatever its file says by then."""

import importlib.util
import os
import subprocess
import sys

import pytest

import minds as ms
from minds import Tensor
from minds.base.errors import ParseError

X = Tensor([1.0])


def load(path):
    spec = importlib.util.spec_from_file_location("edited", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def write(path, body: str) -> None:
    path.write_text(
        f"def f(x):\n    return {body}\n\n\nlambdas = [lambda x: x + 1, lambda x: {body}]\n"
    )


def test_a_file_that_is_written_and_imported_anew(tmp_path):
    """Also where its size stays, and within the second."""
    path = tmp_path / "edited.py"
    sys.dont_write_bytecode, before = True, sys.dont_write_bytecode
    try:
        for k in range(2, 6):
            write(path, f"x * {k}")
            module = load(path)
            assert float(ms.jit(module.f)(X)) == float(module.f(X)) == k
            assert float(ms.jit(module.lambdas[1])(X)) == k
    finally:
        sys.dont_write_bytecode = before


def test_a_file_that_is_written_and_not_imported_anew(tmp_path):
    path = tmp_path / "edited.py"
    write(path, "x * 2")
    module = load(path)
    assert float(ms.jit(module.f)(X)) == 2.0
    write(path, "x * 3")
    assert float(ms.jit(module.lambdas[1])(X)) == 2.0  # the text was read before
    later = load(path)
    write(path, "x * 4")
    with pytest.raises(ParseError, match="source of f has been changed since it was imported"):
        ms.jit(later.f)(X)


def test_a_script_that_is_edited_while_it_runs(tmp_path):
    path = tmp_path / "script.py"
    path.write_text(
        "import minds as ms\n"
        "def f(x):\n    return x * 2\n"
        "text = open(__file__).read()\n"
        "open(__file__, 'w').write(text.replace('x * 2', 'x * 3'))\n"
        "print(ms.jit(f)(ms.Tensor([1.0])))\n"
    )
    run = subprocess.run(
        [sys.executable, str(path)],
        capture_output=True,
        text=True,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)},
    )
    assert "has been changed since it was imported" in run.stderr, run.stdout + run.stderr


def test_the_command_line_is_a_source():
    text = """
import minds as ms
def f(x):
    return x * 3 if x.sum() > 0 else x.foo
exec("def h(x): return x")
print(ms.jit(f)(ms.Tensor([2.0])), (lambda: ms.jit(lambda x: x - 1)(ms.Tensor([2.0])))())
try:
    ms.jit(h)(ms.Tensor([1.0]))
except SyntaxError as e:
    print(str(e).splitlines()[0])
"""
    command = [sys.executable, "-c", text, "an", "argument"]
    found = subprocess.run(command, capture_output=True, text=True, check=True, timeout=60)
    assert found.stdout.splitlines() == ["[6.] [1.]", "the source of h cannot be read"]
