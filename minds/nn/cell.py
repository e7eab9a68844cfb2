"""`Cell`: a part of a network, with its parameters, sub-cells and `construct`.

A Parameter or Cell that is assigned to an attribute is registered in ``_params`` or ``_cells``
*and* kept as an ordinary attribute in ``__dict__``: reading one costs no search, and a compiled
program can tell by identity whether an attribute that it was made from has changed.
"""

from __future__ import annotations

import functools
import inspect
from collections import OrderedDict
from typing import NoReturn

from .. import ops
from ..base.boundary import is_offered, refuse
from ..base.errors import as_shown, complain
from ..base.options import GRAPH_MODE, get_context, narrowed
from ..frontend.registry import EMITTERS
from ..jit.compile import call_cell, compile_cell, places_of
from ..ops import autocast
from ..parameters import Buffer, ParameterTuple, check_names
from ..sharding.step import expect_undivided
from ..sharding.strategy import shard
from ..tensor import Parameter, Tensor
from ..transforms import last_call
from . import hooks, inner, pipeline, precision
from .buffers import Buffers, register_cell_buffer_registration_hook
from .contents import Contents
from .precision import CellPrecision
from .settings import Settings
from .spelled import Spelled
from .state import CellState


class Cell(Contents, Settings, Buffers, CellState, Spelled):
    """Base of all networks and layers.

    A subclass creates its parameters and sub-cells in ``__init__``, after ``super().__init__()``,
    and defines ``construct(self, *inputs)``. Calling the cell runs ``construct``: compiled in graph
    mode, eagerly in PyNative mode. A subclass may define ``bprop(self, *inputs, out, dout)``, which
    then replaces the derivative of ``construct``.

    Args:
        auto_prefix (bool): whether the names of sub-cells' parameters start with the sub-cell's
            name; any value is taken by its truth, as in MindSpore. Default True.
        flags (dict): flags for `add_flags`. Default None.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> class Net(nn.Cell):
        ...     def __init__(self):
        ...         super().__init__()
        ...         self.w = ms.Parameter(ms.Tensor([2.0, 3.0]))
        ...     def construct(self, x):
        ...         return self.w * x
        >>> net = Net()
        >>> net(ms.Tensor([1.0, 10.0])).asnumpy().tolist()
        [2.0, 30.0]
        >>> [p.name for p in net.trainable_params()]
        ['w']
    """

    # What an eager call has to do besides `construct`: hooks, casts, a custom derivative.
    _plain = True
    _recomputed = False
    _precision: CellPrecision | None = None
    _casts_lists = True

    def __init__(self, auto_prefix: bool = True, flags: dict | None = None):
        if isinstance(auto_prefix, Tensor):
            name = type(self).__name__
            what = f"{name} is a class, and is called with a Tensor"
            raise complain(TypeError, what, cure=f"make a cell in __init__: {name}(...)")
        d = self.__dict__
        d.update(
            _params=OrderedDict(),
            _cells=OrderedDict(),
            _auto_prefix=bool(auto_prefix),
            _flags={},
            _inputs=None,
            training=False,
            requires_grad=False,
            param_prefix="",
        )
        if type(self)._derivative() is not None:
            d["_plain"] = False
        if flags:
            self.add_flags(**flags)

    @classmethod
    def _derivative(cls):
        """The class's own ``bprop``, or None."""
        return getattr(cls, "bprop", None)

    # ---- attributes

    def __setattr__(self, name: str, value) -> None:
        d = self.__dict__
        if isinstance(value, Parameter):
            self.insert_param_to_cell(name, value)
        elif isinstance(value, ParameterTuple):
            self._registry("_params")
            d[name] = value
            for p in value:
                d["_params"][p.name] = p
        elif isinstance(value, Cell):
            self._set_cell(name, value)
        elif name in d.get("_params", ()):
            self._overwrite_param(name, value)
        elif name in d.get("_cells", ()):
            if value is not None:
                raise complain(
                    TypeError,
                    f"{type(self).__name__}: sub-cell {name!r} cannot become a "
                    f"{type(value).__name__}",
                    expected="a Cell or None",
                )
            d["_cells"][name] = d[name] = None
            self._cells_changed()
        elif isinstance(value, Buffer):
            self.register_buffer(name, Tensor(value))
        else:
            if type(value) in (tuple, list) and value and isinstance(value[0], Parameter):
                self._check_listed(name, value)
            object.__setattr__(self, name, value)
            if name in inner.NAMES:
                inner.compute_by(self, name)

    def _check_listed(self, name: str, value) -> None:
        """Raise ValueError where two parameters have one name in the tuples and lists that are
        attributes, of which ``value`` becomes ``name``.
        """
        lists = [v for n, v in vars(self).items() if n != name and type(v) in (tuple, list)]
        check_names([p for v in [*lists, value] for p in v if isinstance(p, Parameter)])

    def __delattr__(self, name: str) -> None:
        d = self.__dict__
        d.get("_params", {}).pop(name, None)
        was_cell = d.get("_cells", {}).pop(name, d) is not d
        object.__delattr__(self, name)
        if was_cell:
            self._cells_changed()

    def __getattr__(self, name: str):
        # Only reached where ordinary lookup fails.
        if name == "_params" or name == "_cells":
            raise complain(
                AttributeError,
                f"{type(self).__name__}: Cell.__init__ has not run",
                cure="call super().__init__() first",
            )
        found = inner.primitive(self, name) if name in inner.NAMES else None
        if found is not None:
            return found
        if name == "cast":  # as older versions of MindSpore gave each cell one
            made = self.__dict__[name] = ops.Cast()
            return made
        raise AttributeError(f"The {type(self).__name__!r} object has no attribute {name!r}.")

    def _registry(self, which: str) -> OrderedDict:
        return getattr(self, which)

    def _cells_changed(self) -> None:
        """Called after a sub-cell came or went; containers keep what they derive from their cells
        here.
        """

    def _overwrite_param(self, name: str, value) -> None:
        """What assigning something that is no Parameter to a parameter's attribute means."""
        if value is None:
            self._params[name] = self.__dict__[name] = None
        elif isinstance(value, Tensor) and self._params[name] is not None:
            self._params[name].set_data(value)
            seen = self.__dict__.get(name)
            if seen is not self._params[name] and isinstance(seen, Tensor):  # cast while it runs
                self.__dict__[name] = value.astype(seen.dtype)
        else:
            raise complain(
                TypeError,
                f"{type(self).__name__}: parameter {name!r} cannot become a {type(value).__name__}",
                expected="a Parameter, a Tensor or None",
            )

    def _set_cell(self, name: str, value: Cell, prefix: str = "") -> None:
        """Register a sub-cell, whose parameters are named ``prefix``, ``name`` and their paths."""
        self._registry("_cells")
        if name in self._params:
            raise complain(
                KeyError,
                f"{type(self).__name__}: parameter {name!r} cannot become a Cell",
                cure="delete the attribute first",
            )
        if self._auto_prefix:
            value.update_parameters_name(f"{prefix}{name}.")
        self._replace_cell(name, value)

    def _replace_cell(self, name: str, value: Cell) -> None:
        """Register a sub-cell whose parameters have their full names."""
        self._cells[name] = self.__dict__[name] = value
        self._cells_changed()

    def insert_param_to_cell(
        self, param_name: str, param: Parameter | None, check_name_contain_dot: bool = True
    ) -> None:
        """Register a parameter as attribute ``param_name``; one without a name of its own takes
        this one.

        Args:
            param_name (str): the attribute.
            param (Parameter): the parameter, or None to reserve the name.
            check_name_contain_dot (bool): refuse names with a dot. Default True.

        Raises:
            KeyError: the name is empty, holds a dot, or belongs to another attribute.
            TypeError: ``param`` is no Parameter.
            AttributeError: ``Cell.__init__`` has not run.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.Cell()
            >>> net.insert_param_to_cell("w", ms.Parameter(ms.Tensor([1.0])))
            >>> net.w.name
            'w'
        """
        params = self._registry("_params")
        if not param_name:
            raise complain(KeyError, "insert_param_to_cell: param_name is empty")
        if check_name_contain_dot and "." in param_name:
            raise complain(KeyError, f"insert_param_to_cell: param_name {param_name!r} holds a dot")
        if param_name in self._cells or callable(getattr(type(self), param_name, None)):
            raise complain(
                KeyError, f"insert_param_to_cell: {type(self).__name__} already has {param_name!r}"
            )
        if param is not None and not isinstance(param, Parameter):
            raise complain(
                TypeError,
                f"insert_param_to_cell: param has type {type(param).__name__}",
                expected="a Parameter",
            )
        if param is not None:
            if param.name == Parameter.default_name:
                param.name = param_name
            params[param_name] = param
        self.__dict__[param_name] = param

    def insert_child_to_cell(self, child_name: str, child_cell: Cell | None) -> None:
        """Register a sub-cell as attribute ``child_name``.

        Args:
            child_name (str): the attribute.
            child_cell (Cell): the sub-cell, or None to reserve the name.

        Raises:
            KeyError: the name is empty, holds a dot, or belongs to another attribute.
            TypeError: ``child_cell`` is no Cell.

        Examples:
            >>> from minds import nn
            >>> net = nn.Cell()
            >>> net.insert_child_to_cell("act", nn.ReLU())
            >>> net.act
            ReLU()
        """
        if not child_name or "." in child_name:
            raise complain(
                KeyError,
                f"insert_child_to_cell: child_name is {child_name!r}",
                expected="a non-empty str without a dot",
            )
        if self.__dict__.get(child_name) is not None:
            raise complain(
                KeyError, f"insert_child_to_cell: {type(self).__name__} already has {child_name!r}"
            )
        if child_cell is None:
            self.__dict__[child_name] = None
        elif isinstance(child_cell, Cell):
            self._set_cell(child_name, child_cell)
        else:
            raise complain(
                TypeError,
                f"insert_child_to_cell: child_cell has type {type(child_cell).__name__}",
                expected="a Cell",
            )

    # ---- running

    def shard(self, in_strategy, out_strategy=None, parameter_plan=None):
        """Say how devices share the arguments, results and parameters of this cell wherever it is called;
        see `minds.parallel.shard`.

        Args:
            in_strategy (tuple): for each argument a ``Layout``, a tuple of numbers of parts, or None.
            out_strategy (tuple): the same for the results. Default: None.
            parameter_plan (dict): the same for parameters, by name. Default: None.

        Returns:
            Callable: calls the cell.

        Raises:
            TypeError: a strategy has a wrong type.
            ValueError: there are too many, or a parameter is not there.

        Examples:
            >>> from minds import nn
            >>> net = nn.SequentialCell([nn.Dense(4, 2), nn.ReLU()])
            >>> _ = net[0].shard(((2, 1),), parameter_plan={"0.weight": (1, 2)})
            >>> net(ops.ones((8, 4))).shape
            (8, 2)
        """
        called = shard(self, in_strategy, out_strategy, parameter_plan)
        self.__dict__["_strategies"] = in_strategy, out_strategy
        return called

    def construct(self, *args, **kwargs):
        """The computation; defined by the subclass."""
        raise complain(
            AttributeError,
            f"{type(self).__name__}: construct is not defined",
            cure="define construct(self, ...)",
        )

    def __call__(self, *args, **kwargs):
        if "_cells" not in self.__dict__:
            self._registry("_cells")  # raises
        if get_context("mode") == GRAPH_MODE and not (autocast.regions and autocast.current()):
            return call_cell(self, args, kwargs)
        if narrowed:
            expect_undivided(self)
        return self._call_eagerly(args, kwargs)

    def _call_eagerly(self, args: tuple, kwargs: dict):
        """Run whatever the mode; a cell of the library may know a quicker way than op by op."""
        return self._run_op_by_op(args, kwargs)

    def _run_op_by_op(self, args: tuple, kwargs: dict):
        try:
            if self._plain:
                return self.construct(*args, **kwargs)
            if self.requires_grad and last_call.records():
                return last_call.record(self, args, kwargs, functools.partial(hooks.call, self))
            return hooks.call(self, args, kwargs)
        except Exception as e:
            return self._refuse(e, args, kwargs)

    def _refuse(self, e: Exception, args, kwargs) -> NoReturn:
        """Raise the error of a call of the cell; one of a class of the user's is called wrongly only
        where the arguments cannot be bound.
        """
        cls = type(self)
        if is_offered(cls):
            refuse(e, cls.__name__, self.construct, args, kwargs, cls.__doc__, "Inputs")
        if isinstance(e, TypeError) and not self._takes(args, kwargs):
            signature = f"{cls.__name__}.construct{inspect.signature(cls.construct)}"
            raise complain(TypeError, str(e), expected=signature) from None
        raise as_shown(e)

    def _takes(self, args: tuple, kwargs: dict) -> bool:
        """Whether `construct` can be called with these inputs."""
        try:
            inspect.signature(self.construct).bind(*args, **kwargs)
        except TypeError:
            return False
        return True

    @property
    def _around_construct(self):
        """What the compiler calls instead of `construct`, or None."""
        around = None if self._precision is None else precision.emit(self)
        if "_kept_by" in vars(self):
            around = hooks.emit_kept(self, around)
        watcher = vars(self).get("_watcher")
        return around if watcher is None else hooks.emit_watched(self, watcher, around)

    @property
    def _around_call(self):
        """What the compiler calls for a cell with hooks, or one that is recomputed, or None."""
        around = pipeline.emit_stage(self) if pipeline.is_stage(self) else self._around_stage
        return last_call.emit(self, around) if self.requires_grad else around

    @property
    def _around_stage(self):
        """`_around_call` within a stage of a pipeline."""
        return pipeline.emit_placed(self) if "_strategies" in vars(self) else self._around_placed

    @property
    def _around_placed(self):
        """`_around_call` of arguments that lie as `shard` says."""
        if vars(self).get("_hooks"):
            return hooks.emit(self)
        return hooks.emit_recomputed(self) if self._recomputed else None

    def compile(self, *args, **kwargs) -> None:
        """Compile for arguments like these, without running.

        Args:
            args (Any), kwargs (Any): arguments of `construct`; tensors count with shape and dtype.

        Raises:
            ValueError: two parameters share a name; and what the compiler raises on the source.

        Examples:
            >>> from minds import nn
            >>> from minds import ops
            >>> nn.ReLU().compile(ops.ones((2, 3)))
        """
        self.check_names()
        compile_cell(self, args, kwargs)

    @property
    def parameter_layout_dict(self) -> dict:
        """How parameters lie in the program that was compiled last for several processes (`compile` suffices
        for it, of which ``device_num`` need not be there).

        Returns:
            dict: for each name MindSpore's description: the device matrix; for each dimension the axis that
            divides it, by its number from the right, -1 for none; the shape of this rank's part; 0; True;
            ``""``; the shape of the whole. Empty where nothing was divided.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> nn.Dense(2, 3).parameter_layout_dict
            {}
        """
        return {
            name: [
                list(place.mesh.sizes),
                place.tensor_map(),
                list(place.part(shape)),
                0,
                True,
                "",
                list(shape),
            ]
            for name, (shape, place) in places_of(self).items()
        }

    def compile_and_run(self, *args, **kwargs):
        """Compile for these arguments and run, whatever the mode.

        Args:
            args (Any), kwargs (Any): arguments of `construct`.

        Returns:
            Any: what `construct` returns.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> print(nn.ReLU().compile_and_run(ms.Tensor([-1.0, 2.0])))
            [0. 2.]
        """
        return call_cell(self, args, kwargs)

    def set_inputs(self, *inputs, **kwargs) -> None:
        """Declare the inputs' shapes and dtypes, with None for dimensions that vary: one program
        serves all sizes.

        Args:
            inputs (Tensor, TensorType): one per input, such as
                ``Tensor(shape=[None, 3], dtype=ms.float32)``.
            kwargs (Tensor, TensorType): inputs by name, instead.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> from minds import ops
            >>> net = nn.ReLU()
            >>> net.set_inputs(ms.Tensor(shape=[None, 3], dtype=ms.float32))
            >>> net(ops.ones((2, 3))).shape, net(ops.ones((5, 3))).shape
            ((2, 3), (5, 3))
        """
        self._inputs = kwargs if kwargs else inputs

    def get_inputs(self):
        """What `set_inputs` was given, or None.

        Returns:
            tuple, dict: what was declared, by position or by name; None without a declaration.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().get_inputs() is None
            True
        """
        return self._inputs

    # ---- printing

    def extend_repr(self) -> str:
        """What `repr` shows besides the sub-cells; a subclass may override it.

        Returns:
            str: such as ``"size=3"``.

        Examples:
            >>> from minds import nn
            >>> nn.GroupNorm(2, 4).extend_repr()
            'num_groups=2, num_channels=4'
        """
        return ""

    def __repr__(self) -> str:
        return self._tree(counted=False)

    def __str__(self) -> str:
        return self._tree(counted=True)

    def _tree(self, counted: bool) -> str:
        """The cells below this one, a line each, with the number of each one's parameters or without."""
        extra, children = self.extend_repr(), self.name_cells()
        size = sum(p.size for p in self.get_parameters()) if counted else 0
        note = f"  # {size:,} parameters" if size else ""
        if not children:
            return f"{type(self).__name__}({extra}){note}"
        lines = [extra] if extra else []
        lines += [f"({name}): {cell._tree(counted)}" for name, cell in children.items()]
        body = "\n".join("  " + part.replace("\n", "\n  ") for part in lines)
        return f"{type(self).__name__}({note}\n{body}\n)"


EMITTERS[Cell.compile] = lambda ip, cell, *args, **kwargs: None  # with the code that says so
EMITTERS[Cell.compile_and_run] = lambda ip, cell, *args, **kwargs: ip.call(cell, list(args), kwargs)


__all__ = ["Cell", "register_cell_buffer_registration_hook"]
