"""Looking inside: every stage of a compilation as text, as Python, as a drawing.

The Python of a stage runs in PyNative mode: it calls ops through `P`, so it can be stepped through
with a debugger, edited, and compared.
"""

from __future__ import annotations

from functools import partial

from ..ad.cotangents import cotangent_abstract
from ..ad.tape import Tape
from ..base import dtype, tree
from ..base.boundary import guard as _guard
from ..ir import text
from ..ir.abstract import NONE, AbstractRef
from ..ir.node import Graph
from ..ops.define import P
from ..ops.function.control_func import assign
from ..show.draw import svg
from ..show.source import PythonSource
from ..tensor import Parameter, Tensor
from . import compile as compiler


class Stage:
    """A program as it is after one step.

    Args:
        name (str): of the step.
        content (Graph or program): what the step made.

    Attributes:
        name (str): of the step.
        graph (Graph): the program; None for the last stage, which is bytes.
        table (dict): the constants that `text` names by key.
        constants (dict): the constants that `python` names.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> stages = ms.inspect(lambda x: ops.sin(x) * 2, ms.Tensor(0.0))
        >>> stages["tidy"].name
        'tidy'
    """

    def __init__(self, name: str, content):
        self.name, self._content = name, content
        self.graph = content if isinstance(content, Graph) else None
        self.table: dict = {}
        self._source: PythonSource | None = None

    def text(self, locations: bool = False) -> str:
        """The stage as text; a graph's parses back with `minds.ir.text.parse`.

        Args:
            locations (bool): whether nodes say from which line they come. Default: False.

        Returns:
            str: the text.

        Examples:
            >>> import minds as ms
            >>> from minds import ops
            >>> stages = ms.inspect(lambda x: ops.sin(x) * 2, ms.Tensor(0.0))
            >>> "sin" in stages["tidy"].text()
            True
        """
        if self.graph is None:
            return self._content.text() if hasattr(self._content, "text") else repr(self._content)
        return text.dump(self.graph, self.table, locations)

    def _python(self) -> PythonSource:
        if self.graph is None:
            raise ValueError(
                f"inspect: the stage {self.name} is bytes; only the stages before it have Python "
                "source"
            )
        if self._source is None:
            self._source = PythonSource(self.graph)
        return self._source

    def python(self) -> str:
        """The stage as Python source.

        Returns:
            str: the source of one function, or of several if the graph has inner ones.

        Raises:
            ValueError: the stage is the final program of bytes.

        Examples:
            >>> import minds as ms
            >>> from minds import ops
            >>> stages = ms.inspect(lambda x: ops.sin(x) * 2, ms.Tensor(0.0))
            >>> "P.sin(x0)" in stages["tidy"].python()
            True
        """
        return self._python().text

    @property
    def constants(self) -> dict:
        """The constants that `python` names.

        Raises:
            ValueError: the stage is the final program of bytes.

        Examples:
            >>> import minds as ms
            >>> from minds import ops
            >>> stages = ms.inspect(lambda x: ops.sin(x) * 2, ms.Tensor(0.0))
            >>> type(stages["tidy"].constants)
            <class 'dict'>
        """
        return self._python().constants

    def function(self):
        """The Python of this stage as a function of the program's arguments; parameters are bound
        to it.

        The arguments are tensors and numbers, one per leaf where the inspected function takes
        tuples; the result is the tuple of the result's leaves.

        Returns:
            Callable: the function.

        Raises:
            ValueError: the stage is the final program of bytes.

        Examples:
            >>> import minds as ms
            >>> from minds import ops
            >>> stages = ms.inspect(lambda x: ops.sin(x) * 2, ms.Tensor(0.0))
            >>> [float(v) for v in stages["tidy"].function()(ms.Tensor(0.0))]
            [0.0]
        """
        source = self._python()
        space = {
            "P": P,
            "Tensor": Tensor,
            "dtype": dtype,
            "partial": partial,
            "constants": source.constants,
            "J": _J,
            "load": Parameter.value,
            "assign": assign,
        }
        exec(compile(source.text, f"<minds {self.name}>", "exec"), space)
        fn, params = space[source.name], self.graph.params

        def call(*args):
            given = iter(args)
            return fn(
                *[
                    p.default
                    if isinstance(p.abstract, AbstractRef) and p.default is not None
                    else next(given)
                    for p in params
                ]
            )

        return call

    def svg(self) -> str:
        """The stage as a drawing in SVG.

        Returns:
            str: the drawing.

        Raises:
            ValueError: the stage is the final program of bytes.

        Examples:
            >>> import minds as ms
            >>> from minds import ops
            >>> stages = ms.inspect(lambda x: ops.sin(x) * 2, ms.Tensor(0.0))
            >>> stages["tidy"].svg().startswith("<svg")
            True
        """
        if self.graph is None:
            raise ValueError(
                f"inspect: the stage {self.name} is bytes; only the stages before it can be drawn"
            )
        return svg(self.graph)

    def __repr__(self) -> str:
        return f"<stage {self.name}>"


class Inspection(dict):
    """The stages of a compilation by name, in order.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> stages = ms.inspect(lambda x: ops.sin(x) * 2, ms.Tensor(0.0))
        >>> list(stages)[0], list(stages)[-1]
        ('parse', 'lower')
    """

    def __repr__(self) -> str:
        return f"<stages {', '.join(self)}>"


def inspect(fn, *args, **kwargs) -> Inspection:
    """Compile ``fn`` for ``args`` and keep every stage.

    Args:
        fn (Callable): a function, a Cell, or the result of `grad`.
        *args: what it would be called with.
    Returns:
        Inspection: a dict of `Stage` by name, from "parse" to "lower".
    Raises:
        ParseError, TypeError, ValueError: as the compilation of ``fn``.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> stages = ms.inspect(lambda x: ops.sin(x) * x, ms.Tensor(1.0))
        >>> print(stages["tidy"].python())
        def f_lambda(x0):
            '(x0: Tensor[(), float32]) -> (Tensor[(), float32],)'
            t0 = P.sin(x0)
            t1 = P.mul(t0, x0)
            t2 = (t1,)
            return t2
        <BLANKLINE>
    """
    return Inspection(
        (name, Stage(name, content)) for name, content in compiler.stages(fn, args, kwargs).items()
    )


def _J(fn):
    """J for the Python of stages before it is expanded: by the eager tape."""

    def call(*args):
        args = [P.reshape(a, a.shape) if _varies(a) else a for a in args]
        tape = Tape()
        for a in args:
            if _varies(a):
                tape.watch(a)
        with tape:
            out = fn(*args)

        def back(dout):
            outs, douts = tree.leaves(out), tree.leaves(dout)
            live = [(o, d) for o, d in zip(outs, douts) if d is not None]
            wanted = tree.leaves(args, only=_varies)
            found = iter(tape.gradients([o for o, _ in live], [d for _, d in live], wanted))

            def pick(a):
                if not _varies(a):
                    return None
                g = next(found)
                return P.full(a.shape, 0, a.dtype) if g is None else g

            return tree.map(pick, tuple(args))

        return out, back

    return call


def _varies(a) -> bool:
    return isinstance(a, Tensor) and cotangent_abstract(a.abstract) is not NONE


__all__ = ["Inspection", "Stage", "inspect"]
_guard(__name__)
