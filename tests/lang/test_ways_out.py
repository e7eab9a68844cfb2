"""`finally` and the ways out: programs grow in step with the source; who takes what a loop raises."""

import importlib.util

import pytest

import minds as ms
from minds import Tensor
from minds.base.errors import ParseError

LEVEL = """\
{0}except ValueError:
{0}    y = y * 1.5
{0}finally:
{0}    y = y + {1}.5
{0}    if y.sum() > {2}:
{0}        raise ValueError("b")
{0}    if y.sum() > {3}:
{0}        return y * 2.0
"""


def nested(depth: int) -> str:
    pads = ["        " + "    " * i for i in range(depth + 1)]
    lines = ["def f(x, most):\n    y = x * 0.0\n    for i in range(20):\n"]
    lines += [f"{p}try:\n" for p in pads[:-1]]
    lines.append(f"{pads[-1]}y = y + x\n")
    for number, what in enumerate(("raise ValueError('a')", "return y", "continue", "break")):
        lines.append(f"{pads[-1]}if y.sum() > most + {number * 2}:\n{pads[-1]}    {what}\n")
    levels = enumerate(reversed(pads[:-1]))
    lines += [LEVEL.format(p, i, 50 + i, 60 + i) for i, p in levels]
    return "".join(lines) + "    return y\n"


def compiled(tmp_path, depth: int):
    file = tmp_path / f"nested{depth}.py"
    file.write_text(nested(depth))
    spec = importlib.util.spec_from_file_location(file.stem, file)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.f


def outcome(fn, *args):
    try:
        return fn(*args).asnumpy().tolist()
    except ValueError as e:
        return str(e).splitlines()[0]


def test_a_finally_that_leaves_is_not_copied_for_each_way_through_those_inside(tmp_path):
    """Each level adds the same."""
    sizes = {}
    for depth in (1, 2, 3):
        f = compiled(tmp_path, depth)
        sizes[depth] = len(ms.inspect(f, Tensor([0.5]), 3.0)["parse"].text().splitlines())
        g = ms.jit(f)
        for most in (0.2, 3.0, 70.0):
            assert outcome(g, Tensor([0.5]), most) == outcome(f, Tensor([0.5]), most)
    assert sizes[3] - sizes[2] < 1.3 * (sizes[2] - sizes[1])


def test_what_a_loop_raises_does_not_pass_the_handlers_of_its_generator():
    """They would take it where the generator yields; CPython leaves the loop first."""

    def grows(x):
        i = 0
        while x.sum() * i < 9.0:
            i = i + 1
            try:
                yield x * i
            except ValueError:
                i = i + 100

    @ms.jit
    def f(x):
        try:
            for v in grows(x):
                if v.sum() > 3.0:
                    raise ValueError("a")
        except ValueError:
            x = x * 2.0
        return x

    with pytest.raises(ParseError, match="would pass handlers of the generator"):
        f(Tensor([1.0, 1.0]))
