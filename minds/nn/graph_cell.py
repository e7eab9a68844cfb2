"""A cell that runs a program read from a file."""

from __future__ import annotations

from ..base.errors import complain
from ..jit.serialization import StoredProgram
from ..tensor import Parameter, Tensor
from .cell import Cell


class GraphCell(Cell):
    """A program that `load` has read, as a cell: to be called, and to be part of another network.

    Args:
        graph (StoredProgram): what `load` returned.
        params_init (dict[str, Tensor | Parameter]): values for some of its parameters. Default:
            those of the file.
        obf_random_seed (int): not supported. Default: None.

    Inputs:
        - what the exported cell took, of the same types and shapes.

    Outputs:
        What the exported cell returned.

    Raises:
        TypeError: ``graph`` is no program, or ``params_init`` no dict of Tensors by name; or, when it is
            called, the inputs are of other types.
        ValueError: a parameter of ``params_init`` is not in the program, or of another shape or dtype.

    Examples:
        >>> import os, tempfile
        >>> import minds as ms
        >>> path = os.path.join(tempfile.mkdtemp(), "relu")
        >>> ms.export(ms.nn.ReLU(), ms.Tensor([1.0, -1.0]), file_name=path, file_format="MINDIR")
        >>> print(ms.nn.GraphCell(ms.load(path + ".mindir"))(ms.Tensor([3.0, -2.0])))
        [3. 0.]
    """

    def __init__(self, graph, params_init=None, obf_random_seed=None):
        super().__init__()
        if not isinstance(graph, StoredProgram):
            raise complain(
                TypeError,
                f"GraphCell: graph is {type(graph).__name__}",
                expected="what load returned",
            )
        if obf_random_seed is not None:
            raise complain(ValueError, "GraphCell: obfuscated programs are not supported")
        self._program = graph
        for i, p in enumerate(graph.parameters):
            self.insert_param_to_cell(f"parameter_{i}", p)
        known = {p.name: p for p in graph.parameters}
        given = {} if params_init is None else params_init
        if not isinstance(given, dict):
            what = (
                "For 'GraphCell', the argument 'params_init' must be a dict, but got "
                f"{type(given).__name__}."
            )
            raise complain(TypeError, what)
        for name, value in given.items():
            if not (isinstance(name, str) and isinstance(value, Tensor)):
                what = (
                    "For 'GraphCell', the key of the 'params_init' must be str, and the value must "
                    f"be Tensor or Parameter, but got {type(name).__name__} and "
                    f"{type(value).__name__}."
                )
                raise complain(TypeError, what)
        for name, value in given.items():
            own = known.get(name)
            if own is None or (own.shape, own.dtype) != (value.shape, value.dtype):
                of = "" if own is None else f" of shape {value.shape} and dtype {value.dtype.name}"
                wanted = (
                    f"one of {list(known)}" if own is None else f"{own.shape}, {own.dtype.name}"
                )
                what = (
                    "For 'GraphCell', params_init: Only support update parameter by Tensor or "
                    f"Parameter with same shape and dtype as it, but got {name!r}{of}."
                )
                raise complain(ValueError, what, expected=wanted)
            own.set_data(value.value() if isinstance(value, Parameter) else value)

    def __call__(self, *args):
        return self._program(*args)

    def _emit(self, ip, args, kwargs):
        """In compiled code: a call of the program."""
        return self._program.emit(ip, args)


__all__ = ["GraphCell"]
