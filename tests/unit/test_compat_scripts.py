"""`python -m minds.compat`: scripts of MindSpore's run as they are, and `--check` says what they use."""

import importlib
import json
import subprocess
import sys

import pytest

import minds as ms
from minds.base.missing import advice
from minds.compat.check import check
from minds.compat.importer import MindSpore

LENET = """
import sys
import mindspore
import mindspore as ms
import mindspore.nn as nn
import mindspore.common.dtype as mstype
import mindspore.dataset.engine as de
import mindspore.dataset.vision.c_transforms as C
from mindspore import Tensor, context, ms_function
from mindspore._checkparam import check_int
from mindspore.common.parameter import Parameter
from mindspore.communication.management import get_rank
from mindspore.ops import composite, functional as F, operations as P
from mindspore.train.serialization import save_checkpoint

class Net(nn.Cell):
    def __init__(self):
        super().__init__()
        self.add = P.TensorAdd()
        self.w = Parameter(Tensor([2.0], mstype.float32), name="w")

    def construct(self, x):
        return F.mul(self.add(x, x), self.w)

for mode in (context.GRAPH_MODE, context.PYNATIVE_MODE):
    ms.set_context(mode=mode)
    print(sys.argv[1:], Net()(Tensor([3.0])), mindspore.ops.add is ms.ops.add)
print(isinstance(Net(), mindspore.nn.Cell), int(ms.__version__.split(".")[0]) >= 2)
"""


def run(*words, cwd):
    command = [sys.executable, "-m", "minds.compat", *map(str, words)]
    return subprocess.run(command, text=True, capture_output=True, cwd=cwd)


def test_a_script_runs_with_its_arguments_and_the_modules_beside_it(tmp_path):
    (tmp_path / "script.py").write_text("from beside import N\n" + LENET + "print(N, __name__)\n")
    (tmp_path / "beside.py").write_text("import mindspore as ms\nN = int(ms.Tensor(4))\n")
    done = run(tmp_path / "script.py", "--epochs", 3, "--check", cwd=tmp_path.parent)
    line = "['--epochs', '3', '--check'] [12.] True\n"
    assert done.stdout == line * 2 + "True True\n4 __main__\n", done.stderr
    done = run("-m", "beside", cwd=tmp_path)
    assert done.returncode == 0, done.stderr
    (tmp_path / "fails.py").write_text("raise SystemExit(7)")
    assert run(tmp_path / "fails.py", cwd=tmp_path).returncode == 7
    assert run(cwd=tmp_path).returncode == 2


def test_a_missing_name_says_what_to_use(tmp_path):
    (tmp_path / "script.py").write_text("from mindspore.ops import TBERegOp\n")
    said = run(tmp_path / "script.py", cwd=tmp_path).stderr
    assert "cannot import name 'TBERegOp'" in said and "use ops.Custom" in said
    with pytest.raises(ImportError, match="cannot import name 'dense9' from 'minds.nn'$"):
        exec("from minds.nn import dense9")
    with pytest.raises(ImportError, match="'minds.ops': use ops.Softmax$"):
        exec("from minds.ops import soft_Max")
    with pytest.raises(AttributeError, match="no attribute 'TBERegOp': it registers .* ops.Custom"):
        ms.ops.TBERegOp
    with pytest.raises(ModuleNotFoundError, match="'nowhere' from 'minds.ops'") as e:
        importlib.import_module("minds.ops.nowhere")
    assert e.value.name == "mindspore.ops.nowhere"


def test_advice_names_another_place_of_the_name():
    assert advice("nn.softmax") == "use nn.Softmax"
    assert advice("nn.no_such_layer") == ""


def test_install_twice_is_one_and_a_real_mindspore_is_refused(monkeypatch):
    others = [f for f in sys.meta_path if not isinstance(f, MindSpore)]
    monkeypatch.setattr(sys, "meta_path", others)
    monkeypatch.setitem(sys.modules, "mindspore", sys)
    monkeypatch.setattr(sys, "__file__", "elsewhere.py", raising=False)
    with pytest.raises(ImportError, match="imported from elsewhere.py"):
        ms.compat.install()
    monkeypatch.delitem(sys.modules, "mindspore")
    ms.compat.install()
    ms.compat.install()
    assert sum(isinstance(f, MindSpore) for f in sys.meta_path) == 1


USES = """\
import mindspore as ms
import mindspore.nn as nn, numpy as np
from mindspore import ops
from mindspore.ops import operations as P, NoSuchOp
from mindspore.nowhere import x
layers = nn
def f(ops, y):
    return ops.nothing + layers.Dense9(3) + np.nothing
def g(t=ms.nothing_here):
    P = object()
    return P.NoSuch, [ms.ops.add.anything for _ in t]
ms.runtime.set_memory(max_size="1GB")
ops.avg_pool2d(t, kernel=3)
nn.Adam([], use_locking=True)
P.TensorAdd()
"""


def test_check_reports_by_file_and_line(tmp_path):
    (tmp_path / "deep").mkdir()
    path = tmp_path / "deep" / "uses.py"
    path.write_text(USES)
    (tmp_path / "broken.py").write_text("def f(:\n")
    (tmp_path / "latin.py").write_bytes(b"# -*- coding: latin-1 -*-\nx = '\xe9'\n")
    found = {(f.line, f.kind, f.name) for f in check(str(tmp_path)) if f.file == str(path)}
    assert found == {
        (4, "missing", "mindspore.ops.NoSuchOp"),
        (5, "missing", "mindspore.nowhere"),
        (8, "missing", "mindspore.nn.Dense9"),
        (9, "missing", "mindspore.nothing_here"),
        (12, "different", "mindspore.runtime.set_memory"),
        (12, "different", "argument 'max_size' of mindspore.runtime.set_memory"),
        (13, "missing", "argument 'kernel' of mindspore.ops.avg_pool2d"),
        (14, "different", "argument 'use_locking' of mindspore.nn.Adam"),
    }
    assert [f.kind for f in check(str(tmp_path / "broken.py"))] == ["unread"]
    assert not check(str(tmp_path / "latin.py"))


def test_the_report_as_text_and_as_json(tmp_path):
    (tmp_path / "a.py").write_text("import mindspore as ms\nms.ops.TBERegOp()\n")
    done = run("--check", tmp_path, "--json", cwd=tmp_path)
    found = json.loads(done.stdout)
    assert done.returncode == 1 and [f["line"] for f in found] == [2], done.stderr
    assert found[0]["name"] == "mindspore.ops.TBERegOp" and "ops.Custom" in found[0]["advice"]
    done = run("--check", tmp_path / "a.py", cwd=tmp_path)
    assert done.stdout.splitlines()[0].startswith(f"{tmp_path}/a.py:2:1: missing mindspore.ops.TB")
    (tmp_path / "a.py").write_text("import mindspore as ms\nms.ops.add\n")
    assert run("--check", tmp_path, cwd=tmp_path).returncode == 0
    assert "there is no" in run("--check", tmp_path / "none", cwd=tmp_path).stderr


def test_modules_lend_names_of_the_root(tmp_path):
    (tmp_path / "script.py").write_text(
        "from mindspore.train.model import Model, ParallelMode\n"
        "from mindspore.mint import Tensor, add\n"
        "from mindspore.train.model import Nothing\n"
    )
    said = run("script.py", cwd=tmp_path).stderr
    assert "cannot import name 'Nothing' from 'minds.train.model'" in said
