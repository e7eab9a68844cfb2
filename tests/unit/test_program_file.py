"""Files of programs are data: nothing in them is run, and damaged ones are refused (`altered_programs`)."""

import io
import json
import os
import subprocess
import sys
import zipfile

import numpy as np
import pytest

import minds as ms
from minds import Tensor, train

HERE = os.path.dirname(os.path.abspath(__file__))
X = Tensor(np.ones((2, 3), np.float32))


def raises(x, n):
    if n > 2:
        raise ValueError(f"{n:>4} is too large")
    return x * 2.0, {"n": n, "text": "as it is"}


@pytest.fixture
def program(tmp_path):
    path = str(tmp_path / "net.mindir")
    ms.export(raises, X, 1, file_name=path, file_format="MINDIR")
    return path


def changed(path: str, change, compress: int = zipfile.ZIP_STORED) -> None:
    """Rewrite a program with ``change(name, part)`` for its parts."""
    with zipfile.ZipFile(path) as old:
        parts = {name: old.read(name) for name in old.namelist()}
    out = io.BytesIO()
    with zipfile.ZipFile(out, "w", compress) as new:
        for name, part in parts.items():
            new.writestr(name, change(name, part))
    with open(path, "wb") as f:
        f.write(out.getvalue())


def with_json(path: str, key: str, value) -> None:
    """Rewrite what belongs to a program with another entry."""

    def change(name, part):
        if name != "program.json":
            return part
        about = json.loads(part)
        found = about["others"]
        if key == "others":
            about["others"] = {k: value for k in found}
        else:
            about[key] = value
        return json.dumps(about).encode()

    changed(path, change)


@pytest.mark.parametrize(
    "name", ["exec", "eval", "open", "__import__", "print", "SystemExit", "type"]
)
@pytest.mark.parametrize("form", ["error", "raised"])
def test_no_function_is_called_by_name(program, tmp_path, name, form):
    mark = tmp_path / "executed"
    error = [name, [{"is": f"open({str(mark)!r}, 'w')"}], None]
    with_json(program, "others", {form: error if form == "error" else [error, "leaf"]})
    with pytest.raises(train.ProgramFileError):
        ms.load(program)(X, 9)
    assert not mark.exists()


@pytest.mark.parametrize(
    "form",
    [
        ["format", "{0.__class__.__init__.__globals__}"],
        ["format", "{0[0]}"],
        ["format", "{0:>{1}}"],
        ["%", "%9999999999d"],
        ["{}", [-1, ">9999999999"]],
        ["{}", [7, ""]],
        ["exec", "1"],
    ],
)
def test_texts_look_into_nothing_and_stay_small(program, form):
    with_json(program, "out", {"tuple": [{"text": [[form], ["leaf"]]}, {"is": 1}]})
    with pytest.raises(train.ProgramFileError):
        ms.load(program)


def test_host_functions_and_attributes_are_no_ops(program):
    for name in ("host", "P.host", "__class__", "P.__reduce__", "nothing"):
        changed(
            program,
            lambda n, p, name=name: p.replace(b" mul(", f" {name}(".encode()) if "txt" in n else p,
        )
        with pytest.raises(train.ProgramFileError):
            ms.load(program)


def test_nothing_is_larger_than_its_file(program):
    """What is small in an archive may be large outside of it."""
    changed(program, lambda name, part: part + b" " * 10**8, zipfile.ZIP_DEFLATED)
    assert os.path.getsize(program) < 10**6
    with pytest.raises(train.ProgramFileError, match="compressed"):
        ms.load(program)


@pytest.mark.parametrize("size", [0, 1, 21, 22, 100])
def test_truncated(program, size):
    os.truncate(program, size)
    with pytest.raises(train.ProgramFileError):
        ms.load(program)


def test_types_are_those_of_the_ops(program):
    """A view of a small tensor as a large one would read beyond it."""
    path = program.replace("net", "view")
    ms.export(lambda x: x.reshape(3, 2) * 2.0, X, file_name=path, file_format="MINDIR")
    changed(path, lambda n, p: p.replace(b"(3, 2)", b"(3000, 2000)") if "txt" in n else p)
    with pytest.raises(train.ProgramFileError, match="do not fill|reshape"):
        ms.load(path)
    for old, new in ((b"[(2, 3)", b"[(2, 4)"), (b"float32", b"float64"), (b"%x0", b"%x7")):
        ms.export(lambda x: x.sum(0) * 2.0, X, file_name=path, file_format="MINDIR")
        changed(path, lambda n, p, o=old, w=new: p.replace(o, w, 1) if "txt" in n else p)
        with pytest.raises((train.ProgramFileError, TypeError)):
            ms.load(path)(X)


def test_the_error_is_a_value_error():
    assert issubclass(train.ProgramFileError, ValueError)


@pytest.mark.parametrize("kind, count, whole", [("random", 40, 10_000), ("structured", 40, 1000)])
def test_altered_files(tmp_path, kind, count, whole, request):
    """Neither a crash, nor another exception, nor more memory or time: a few of each kind, and with
    ``--whole`` 10,000 and 1,000.
    """
    last = whole if request.config.getoption("whole") else count
    script = os.path.join(HERE, "altered_programs.py")
    done = subprocess.run(
        [sys.executable, script, str(tmp_path), kind, "0", str(last)],
        capture_output=True,
        text=True,
        timeout=1800,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )
    said = done.stdout.strip().split("\n")
    assert done.returncode == 0, (said[-1:], done.stderr[-2000:])
    assert said[-1].startswith("ends")


def test_a_text_that_ends_anywhere(program, tmp_path):
    """Inside of a type too, where a parser may wait for its end."""

    def chosen(x, n):
        f = ms.ops.sin if n > 2 else lambda v: v * 2.0
        return f(x)

    ms.export(chosen, X, 1, file_name=program, file_format="MINDIR")
    with zipfile.ZipFile(program) as archive:
        whole = archive.read("program.txt")
    inside = whole.index(b"Function[") + 9
    for size in (*range(0, len(whole) - 2, 7), *range(inside, inside + 9)):
        changed(program, lambda name, part: whole[:size] if name == "program.txt" else part)
        with pytest.raises(train.ProgramFileError):
            ms.load(program)


@pytest.mark.parametrize("entry", ["key", "constants", "out", "sizes", "answers", "parameters"])
def test_what_is_missing_is_found_by_load(program, entry):
    def change(name, part):
        if name != "program.json":
            return part
        return json.dumps({k: v for k, v in json.loads(part).items() if k != entry}).encode()

    changed(program, change)
    with pytest.raises(train.ProgramFileError):
        ms.load(program)
