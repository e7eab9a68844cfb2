"""`Cell`: a part of a network, with its parameters, sub-cells and `construct`.

A Parameter or Cell that is assigned to an attribute is registered in ``_params`` or ``_cells``
*and* kept as an ordinary attribute in ``__dict__``: reading one costs no search, and a compiled
program can tell by identity whether an attribute that it was made from has changed.
"""

from __future__ import annotations

import inspect
from collections import OrderedDict
from collections.abc import Callable, Iterator

from ..base import dtype as dt
from ..base.errors import complain
from ..base.options import GRAPH_MODE, get_context
from ..jit.compile import call_cell, compile_cell
from ..tensor import Parameter, ParameterTuple, Tensor
from . import hooks
from .buffers import Buffers


class Cell(Buffers):
    """Base of all networks and layers.

    A subclass creates its parameters and sub-cells in ``__init__``, after ``super().__init__()``,
    and defines ``construct(self, *inputs)``. Calling the cell runs ``construct``: compiled in graph
    mode, eagerly in PyNative mode. A subclass may define ``bprop(self, *inputs, out, dout)``, which
    then replaces the derivative of ``construct``.

    Args:
        auto_prefix (bool): whether the names of sub-cells' parameters start with the sub-cell's
            name. Default True.
        flags (dict): flags for `add_flags`. Default None.

    Raises:
        TypeError: ``auto_prefix`` is no bool.

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
    _float_dtype: dt.DType | None = None

    def __init__(self, auto_prefix: bool = True, flags: dict | None = None):
        if not isinstance(auto_prefix, bool):
            raise complain(
                TypeError,
                f"{type(self).__name__}: auto_prefix has type {type(auto_prefix).__name__}",
                expected="a bool",
            )
        d = self.__dict__
        d.update(
            _params=OrderedDict(),
            _cells=OrderedDict(),
            _auto_prefix=auto_prefix,
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
        else:
            object.__setattr__(self, name, value)

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
        else:
            raise complain(
                TypeError,
                f"{type(self).__name__}: parameter {name!r} cannot become a {type(value).__name__}",
                expected="a Parameter, a Tensor or None",
            )

    def _set_cell(self, name: str, value: Cell) -> None:
        cells = self._registry("_cells")
        if name in self._params:
            raise complain(
                KeyError,
                f"{type(self).__name__}: parameter {name!r} cannot become a Cell",
                cure="delete the attribute first",
            )
        cells[name] = value
        self.__dict__[name] = value
        if self._auto_prefix:
            value.update_parameters_name(name + ".")
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

    def construct(self, *args, **kwargs):
        """The computation; defined by the subclass."""
        raise complain(
            AttributeError,
            f"{type(self).__name__}: construct is not defined",
            cure="define construct(self, ...)",
        )

    def __call__(self, *args, **kwargs):
        if get_context("mode") == GRAPH_MODE:
            return call_cell(self, args, kwargs)
        return self._call_eagerly(args, kwargs)

    def _call_eagerly(self, args: tuple, kwargs: dict):
        """Run op by op, whatever the mode."""
        try:
            if self._plain:
                return self.construct(*args, **kwargs)
            return hooks.call(self, args, kwargs)
        except TypeError as e:
            if self._takes(args, kwargs):
                raise
            raise complain(
                TypeError,
                str(e),
                expected=f"{type(self).__name__}.construct"
                f"{inspect.signature(type(self).construct)}",
            ) from None

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
        return None if self._float_dtype is None else hooks.emit_cast(self)

    @property
    def _around_call(self):
        """What the compiler calls for a cell with hooks, or one that is recomputed, or None."""
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

    # ---- parameters

    def parameters_and_names(
        self, name_prefix: str = "", expand: bool = True
    ) -> Iterator[tuple[str, Parameter]]:
        """Each parameter once, with its path of attributes.

        Args:
            name_prefix (str): put before each path. Default "".
            expand (bool): include the parameters of sub-cells. Default True.

        Returns:
            Iterator[tuple[str, Parameter]]: paths and parameters.

        Examples:
            >>> from minds import nn
            >>> [path for path, _ in nn.SequentialCell(nn.Dense(2, 1)).parameters_and_names()]
            ['0.weight', '0.bias']
        """
        seen = set()
        cells = self.cells_and_names(name_prefix=name_prefix) if expand else [(name_prefix, self)]
        for path, cell in cells:
            for name, p in cell._params.items():
                if p is not None and id(p) not in seen:
                    seen.add(id(p))
                    yield (f"{path}.{name}" if path else name), p

    def get_parameters(self, expand: bool = True) -> Iterator[Parameter]:
        """The parameters, each once.

        Args:
            expand (bool): include the parameters of sub-cells. Default True.

        Returns:
            Iterator[Parameter]: the parameters.

        Examples:
            >>> from minds import nn
            >>> [p.shape for p in nn.Dense(2, 1).get_parameters()]
            [(1, 2), (1,)]
        """
        return (p for _, p in self.parameters_and_names(expand=expand))

    def parameters_dict(self, recurse: bool = True) -> OrderedDict[str, Parameter]:
        """The parameters by name.

        Args:
            recurse (bool): include the parameters of sub-cells. Default True.

        Returns:
            OrderedDict[str, Parameter]: names and parameters.

        Examples:
            >>> from minds import nn
            >>> list(nn.Dense(2, 1).parameters_dict())
            ['weight', 'bias']
        """
        return OrderedDict((p.name, p) for p in self.get_parameters(recurse))

    def trainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters with ``requires_grad``.

        Args:
            recurse (bool): include the parameters of sub-cells. Default True.

        Returns:
            list[Parameter]: those that are trained.

        Examples:
            >>> from minds import nn
            >>> [p.name for p in nn.BatchNorm2d(3).trainable_params()]
            ['gamma', 'beta']
        """
        return [p for p in self.get_parameters(recurse) if p.requires_grad]

    def untrainable_params(self, recurse: bool = True) -> list[Parameter]:
        """The parameters without ``requires_grad``.

        Args:
            recurse (bool): include the parameters of sub-cells. Default True.

        Returns:
            list[Parameter]: those that are not trained.

        Examples:
            >>> from minds import nn
            >>> [p.name for p in nn.BatchNorm2d(3).untrainable_params()]
            ['mean', 'variance']
        """
        return [p for p in self.get_parameters(recurse) if not p.requires_grad]

    def update_parameters_name(self, prefix: str = "", recurse: bool = True) -> None:
        """Name each parameter ``prefix`` and its path of attributes.

        Args:
            prefix (str): what stands before the path. Default "".
            recurse (bool): also name the parameters of sub-cells. Default True.

        Raises:
            TypeError: ``prefix`` is no str.

        Examples:
            >>> from minds import nn
            >>> net = nn.Dense(2, 1)
            >>> net.update_parameters_name("head.")
            >>> [p.name for p in net.get_parameters()]
            ['head.weight', 'head.bias']
        """
        if not isinstance(prefix, str):
            raise complain(
                TypeError,
                f"update_parameters_name: prefix has type {type(prefix).__name__}",
                expected="a str",
            )
        for path, p in self.parameters_and_names(expand=recurse):
            p.name = prefix + path

    def check_names(self) -> None:
        """Make sure that no two parameters share a name.

        Raises:
            ValueError: two parameters do.

        Examples:
            >>> from minds import nn
            >>> nn.SequentialCell(nn.Dense(2, 1), nn.Dense(1, 1)).check_names()
        """
        paths: dict[str, str] = {}
        for path, p in self.parameters_and_names():
            if p.name in paths:
                raise complain(
                    ValueError,
                    f"{type(self).__name__}: two parameters are named {p.name!r}",
                    operands=[("first", paths[p.name]), ("second", path)],
                    cure="give one of them another name",
                )
            paths[p.name] = path

    def init_parameters_data(self, auto_parallel_mode: bool = False) -> dict:
        """The parameters; their data exists from the start, so there is nothing to do.

        Args:
            auto_parallel_mode (bool): without effect.

        Returns:
            dict[Parameter, Parameter]: each parameter, standing for itself.

        Examples:
            >>> from minds import nn
            >>> len(nn.Dense(2, 1).init_parameters_data())
            2
        """
        return {p: p for p in self.get_parameters()}

    # ---- sub-cells

    def cells(self):
        """The direct sub-cells.

        Returns:
            ValuesView[Cell]: each once, in the order in which they were assigned.

        Examples:
            >>> from minds import nn
            >>> list(nn.SequentialCell(nn.ReLU(), nn.Tanh()).cells())
            [ReLU(), Tanh()]
        """
        return self.name_cells().values()

    def name_cells(self) -> OrderedDict[str, Cell]:
        """The direct sub-cells by name, each once.

        Returns:
            OrderedDict[str, Cell]: names of attributes and cells.

        Examples:
            >>> from minds import nn
            >>> list(nn.SequentialCell(nn.ReLU(), nn.Tanh()).name_cells())
            ['0', '1']
        """
        found, seen = OrderedDict(), set()
        for name, cell in self._cells.items():
            if cell is not None and id(cell) not in seen:
                seen.add(id(cell))
                found[name] = cell
        return found

    def cells_and_names(self, cells=None, name_prefix: str = "") -> Iterator[tuple[str, Cell]]:
        """This cell and all below it, each once, with their paths; a cell comes before its
        sub-cells.

        Args:
            cells (set[Cell]): those that were seen; what is found is added. Default None.
            name_prefix (str): the path of this cell. Default "".

        Returns:
            Iterator[tuple[str, Cell]]: paths and cells.

        Examples:
            >>> from minds import nn
            >>> list(nn.SequentialCell(nn.ReLU()).cells_and_names())[1]
            ('0', ReLU())
        """
        seen = set() if cells is None else cells
        stack = [(name_prefix, self)]
        while stack:
            path, cell = stack.pop()
            if cell in seen:
                continue
            seen.add(cell)
            yield path, cell
            stack += [
                (f"{path}.{n}" if path else n, c)
                for n, c in reversed(cell._cells.items())
                if c is not None
            ]

    def get_sub_cell(self, target: str) -> Cell:
        """The cell at a path such as ``"head.0"``; this one for the empty path.

        Args:
            target (str): names of attributes with dots between them.

        Returns:
            Cell: the cell.

        Raises:
            AttributeError: there is none.

        Examples:
            >>> from minds import nn
            >>> nn.SequentialCell(nn.ReLU(), nn.Tanh()).get_sub_cell("1")
            Tanh()
        """
        cell = self
        for name in filter(None, target.split(".")):
            if cell._cells.get(name) is None:
                raise complain(
                    AttributeError, f"get_sub_cell: {type(cell).__name__} has no sub-cell {name!r}"
                )
            cell = cell._cells[name]
        return cell

    def apply(self, fn: Callable[[Cell], None]) -> Cell:
        """Call a function on all cells below this one, then on this one.

        Args:
            fn (Callable[[Cell], None]): the function.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> _ = nn.SequentialCell(nn.ReLU(), nn.Tanh()).apply(lambda cell: print(cell.cls_name))
            ReLU
            Tanh
            SequentialCell
        """
        for cell in self.cells():
            cell.apply(fn)
        fn(self)
        return self

    # ---- settings

    def set_train(self, mode: bool = True) -> Cell:
        """Set ``training`` here and below, which layers such as Dropout and BatchNorm obey.

        Args:
            mode (bool): whether the network is trained. Default True.

        Returns:
            Cell: this cell.

        Raises:
            TypeError: ``mode`` is no bool.

        Examples:
            >>> from minds import nn
            >>> nn.Dropout(p=0.5).set_train().training
            True
        """
        if not isinstance(mode, bool):
            raise complain(
                TypeError, f"set_train: mode has type {type(mode).__name__}", expected="a bool"
            )
        for _, cell in self.cells_and_names():
            cell.training = mode
        return self

    def set_grad(self, requires_grad: bool = True) -> Cell:
        """Note that gradients will be asked for. (No effect: every cell can be differentiated.)

        Args:
            requires_grad (bool): whether they will. Default True.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().set_grad().requires_grad
            True
        """
        self.requires_grad = requires_grad
        return self

    def to_float(self, dst_type: dt.DType) -> Cell:
        """Compute in a float dtype here and below: inputs and parameters are cast, the parameters
        keep their dtype.

        Args:
            dst_type (dtype): float16, bfloat16 or float32.

        Returns:
            Cell: this cell.

        Raises:
            ValueError: another dtype.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> from minds import ops
            >>> nn.Dense(2, 1).to_float(ms.float16)(ops.ones((1, 2))).dtype
            Float16
        """
        if dst_type not in (dt.float16, dt.float32, dt.bfloat16):
            raise complain(
                ValueError,
                f"to_float: dst_type is {dst_type!r}",
                expected="float16, bfloat16 or float32",
            )
        for _, cell in self.cells_and_names():
            cell._float_dtype, cell._plain = dst_type, False
            cell.add_flags(
                fp16=dst_type is dt.float16,
                fp32=dst_type is dt.float32,
                bf16=dst_type is dt.bfloat16,
            )
        return self

    def get_mixed_precision_type(self) -> dt.DType | None:
        """The dtype that `to_float` was given, or None.

        Returns:
            dtype: the dtype, or None.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> nn.ReLU().to_float(ms.float16).get_mixed_precision_type()
            Float16
        """
        return self._float_dtype

    def add_flags(self, **flags) -> Cell:
        """Set flags, which are also attributes.

        Args:
            flags (Any): names and values.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().add_flags(level=3).level
            3
        """
        self._flags.update(flags)
        for name, value in flags.items():
            setattr(self, name, value)
        return self

    def add_flags_recursive(self, **flags) -> Cell:
        """Set flags here and below, as `add_flags`.

        Args:
            flags (Any): names and values.

        Returns:
            Cell: this cell.

        Examples:
            >>> from minds import nn
            >>> nn.SequentialCell(nn.ReLU()).add_flags_recursive(level=3)[0].level
            3
        """
        for _, cell in self.cells_and_names():
            cell.add_flags(**flags)
        return self

    def get_flags(self) -> dict:
        """The flags that were set.

        Returns:
            dict[str, Any]: names and values.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().add_flags(level=3).get_flags()
            {'level': 3}
        """
        return self._flags

    def recompute(self, mode: bool = True, **kwargs) -> Cell:
        """Compute this cell's inner values again for the gradient instead of keeping them
        (`minds.recompute`): less memory, more time, the same numbers.

        Args:
            mode (bool): whether to. Default True.
            kwargs (Any): MindSpore's settings for parallel training, without effect.

        Returns:
            Cell: this cell.

        Raises:
            TypeError: ``mode`` is no bool.

        Examples:
            >>> from minds import nn
            >>> from minds import ops
            >>> net = nn.SequentialCell(nn.Dense(2, 2).recompute(), nn.ReLU())
            >>> net(ops.ones((1, 2))).shape
            (1, 2)
        """
        if not isinstance(mode, bool):
            raise complain(
                TypeError, f"recompute: mode has type {type(mode).__name__}", expected="a bool"
            )
        hooks.recompute(self, mode)
        return self

    def set_jit_config(self, jit_config) -> None:
        """Settings of MindSpore's compiler levels: accepted, without effect.

        Args:
            jit_config (JitConfig): the settings.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> nn.ReLU().set_jit_config(ms.JitConfig(jit_level="O1"))
        """

    @property
    def cls_name(self) -> str:
        """The name of the class.

        Examples:
            >>> from minds import nn
            >>> nn.ReLU().cls_name
            'ReLU'
        """
        return type(self).__name__

    # ---- hooks: called in PyNative mode, compiled in graph mode

    def register_forward_pre_hook(
        self, hook_fn: Callable, *, prepend: bool = False, with_kwargs: bool = False
    ) -> hooks.HookHandle:
        """Call a function before `construct`: ``hook_fn(cell, inputs)``, which may return other
        inputs.

        Args:
            hook_fn (Callable): the hook; compiled with the cell in graph mode.
            prepend (bool): run it before those that the cell has. Default False.
            with_kwargs (bool): it is called as ``hook_fn(cell, inputs, kwargs)`` and returns
                ``(inputs, kwargs)`` or None. Default False.

        Returns:
            HookHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook_fn`` cannot be called.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.ReLU()
            >>> _ = net.register_forward_pre_hook(lambda cell, inputs: (inputs[0] + 1,))
            >>> print(net(ms.Tensor([1.0])))
            [2.]
        """
        return hooks.register(self, "forward_pre", hook_fn, prepend, with_kwargs)

    def register_forward_hook(
        self,
        hook_fn: Callable,
        *,
        prepend: bool = False,
        with_kwargs: bool = False,
        always_call: bool = False,
    ) -> hooks.HookHandle:
        """Call a function after `construct`: ``hook_fn(cell, inputs, output)``, which may return
        another output.

        Args:
            hook_fn (Callable): the hook; compiled with the cell in graph mode.
            prepend (bool): run it before those that the cell has. Default False.
            with_kwargs (bool): it is called as ``hook_fn(cell, inputs, kwargs, output)``. Default
                False.
            always_call (bool): in PyNative mode call it also where `construct` raised, with output
                None. Default False.

        Returns:
            HookHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook_fn`` cannot be called.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.ReLU()
            >>> _ = net.register_forward_hook(lambda cell, inputs, output: output * 10)
            >>> print(net(ms.Tensor([1.0])))
            [10.]
        """
        return hooks.register(self, "forward", hook_fn, prepend, with_kwargs, always_call)

    def register_backward_pre_hook(self, hook_fn: Callable) -> hooks.HookHandle:
        """Call a function on the gradients of the outputs: ``hook_fn(cell, grad_outputs)``, which
        may return others.

        Args:
            hook_fn (Callable): the hook; compiled with the cell in graph mode.

        Returns:
            HookHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook_fn`` cannot be called.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.ReLU()
            >>> _ = net.register_backward_pre_hook(lambda cell, grads: (grads[0] * 10,))
            >>> print(ms.grad(net)(ms.Tensor([1.0])))
            [10.]
        """
        return hooks.register(self, "backward_pre", hook_fn)

    def register_backward_hook(self, hook_fn: Callable) -> hooks.HookHandle:
        """Call a function on the gradients of the inputs:
        ``hook_fn(cell, grad_inputs, grad_outputs)``, which may return others.

        Args:
            hook_fn (Callable): the hook; compiled with the cell in graph mode.

        Returns:
            HookHandle: its ``remove()`` takes the hook away.

        Raises:
            TypeError: ``hook_fn`` cannot be called.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> net = nn.ReLU()
            >>> _ = net.register_backward_hook(lambda cell, grads, outs: (grads[0] * 10,))
            >>> print(ms.grad(net)(ms.Tensor([1.0])))
            [10.]
        """
        return hooks.register(self, "backward", hook_fn)

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
        extra, children = self.extend_repr(), self.name_cells()
        if not children:
            return f"{type(self).__name__}({extra})"
        lines = [extra] if extra else []
        lines += [f"({name}): {cell!r}" for name, cell in children.items()]
        body = "\n".join("  " + part.replace("\n", "\n  ") for part in lines)
        return f"{type(self).__name__}(\n{body}\n)"


__all__ = ["Cell"]
