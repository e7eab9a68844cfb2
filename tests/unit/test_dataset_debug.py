"""Hooks around the operations of `map`: what they print is what MindSpore 2.10 prints."""

import numpy as np
import pytest

import minds.dataset as ds
from minds.dataset import debug, transforms


@pytest.fixture
def debugging():
    yield ds.config.set_debug_mode
    ds.config.set_debug_mode(False)


def add(x):
    return x + 1


def run(operations, **more):
    d = ds.NumpySlicesDataset({"x": np.arange(4).reshape(2, 2)}, shuffle=False)
    d = d.map(operations, "x", **more)
    return [r["x"].tolist() for r in d.create_dict_iterator(num_epochs=1, output_numpy=True)]


ADD_IN, ADD_OUT, CAST_OUT = (
    f"[Dataset debugger] Print the [{side}] of the operation [{name}]."
    for side, name in (("INPUT", "add"), ("OUTPUT", "add"), ("OUTPUT", "TypeCast"))
)
ROW = "Column 0. The dtype is [int64]. The shape is [(2,)]."


def test_dtypes_and_shapes_are_printed(debugging, capsys):
    debugging(True)
    assert ds.config.get_debug_mode()
    steps = [add, transforms.TypeCast(np.float32)]
    assert run(steps, num_parallel_workers=4) == [[1.0, 2.0], [3.0, 4.0]]
    once = [ADD_IN, ROW, ADD_OUT, ROW, CAST_OUT, ROW.replace("int64", "float32")]
    assert capsys.readouterr().out.splitlines() == once * 2


def test_values_are_printed_by_another_hook(debugging, capsys):
    debugging(True, [debug.PrintDataHook()])
    assert run([add]) == [[1, 2], [3, 4]]
    shown = [f"Column 0. The data is [{v}]." for v in ("[0 1]", "[1 2]", "[2 3]", "[3 4]")]
    assert capsys.readouterr().out.splitlines()[1::2] == shown


def test_a_hook_of_the_user_passes_the_values_on(capsys):
    seen = []

    class Look(debug.DebugHook):
        def compute(self, *args):
            seen.append([a.tolist() for a in args[0]])

    assert run([add, Look(), add]) == [[2, 3], [4, 5]]
    assert seen == [[[1, 2]], [[3, 4]]] and not capsys.readouterr().out


def test_what_is_no_hook_is_refused(debugging):
    for words, arguments in (
        ("debug_mode_flag isn't of type boolean", (3,)),
        ("debug_hook_list is not a list", (True, 3)),
        ("must be of type DebugHook", (True, [3])),
    ):
        with pytest.raises(TypeError, match=words):
            debugging(*arguments)
    with pytest.raises(TypeError, match="abstract"):
        debug.DebugHook()
    assert not ds.config.get_debug_mode()
