"""Primitives as objects: MindSpore's class spellings, and primitives that users define.

A user's primitive is a class with inference (``infer_shape`` and ``infer_dtype``, or
``__infer__``), a kernel (``host`` on NumPy arrays, ``vm_impl`` on tensors, or ``compose`` out of
other ops) and, where it has one, a gradient (`bprop_getters`, ``get_bprop`` or ``bprop``). Each
instance makes an `Op`, so eager mode, graphs and differentiation treat it like any other.
"""

from __future__ import annotations

import functools
import inspect

from ..base import dtype as dt
from ..base.errors import complain
from ..base.late import late
from ..base.limits import times
from ..ir.abstract import AbstractTensor, AbstractTuple
from ..tensor import Tensor
from .define import Op
from .placed import dims_of, is_strategies, leaves_of


class Primitive:
    """Base of primitives.

    Args:
        name (str): its name. Default None, the name of the class. One without inference of its own
            that has the name of a function of `ops` calls that function.

    Attributes:
        name (str): the name.
        attrs (dict): the attributes, which are also attributes of the object.

    Raises:
        TypeError: it is called, and there is no inference of its own.

    Examples:
        >>> ops.Primitive("Thing").add_prim_attr("level", 3).level
        3
    """

    _static_instances = True  # one may be made in compiled code

    def __init__(self, name: str | None = None):
        self.name = name or type(self).__name__
        self.instance_name = self.name
        self.attrs: dict = {}
        self.input_names: list = []
        self.output_names: list = []
        self._ops: dict = {}
        self._user_data: dict = {}

    def add_prim_attr(self, name: str, value) -> Primitive:
        """Set an attribute.

        Args:
            name (str): its name.
            value (Any): its value.

        Returns:
            Primitive: this one.

        Examples:
            >>> from minds import ops
            >>> ops.Primitive("Thing").add_prim_attr("level", 3).attrs
            {'level': 3}
        """
        self.attrs[name] = value
        self.__dict__[name] = value
        self._ops.clear()
        return self

    add_attr = add_prim_attr

    def del_prim_attr(self, name: str) -> Primitive:
        """Remove an attribute.

        Args:
            name (str): its name; it need not exist.

        Returns:
            Primitive: this one.

        Examples:
            >>> from minds import ops
            >>> ops.Primitive("Thing").add_prim_attr("level", 3).del_prim_attr("level").attrs
            {}
        """
        self.attrs.pop(name, None)
        self.__dict__.pop(name, None)
        self._ops.clear()
        return self

    def set_user_data(self, key: str, value) -> Primitive:
        """Keep a value that is no attribute.

        Args:
            key (str): its name.
            value (Any): the value.

        Returns:
            Primitive: this one.

        Examples:
            >>> from minds import ops
            >>> ops.Primitive("Thing").set_user_data("cost", 3).get_user_data("cost")
            3
        """
        self._user_data[key] = value
        return self

    def get_user_data(self, key: str):
        """What `set_user_data` keeps under ``key``, or None.

        Args:
            key (str): its name.

        Returns:
            Any: the value, or None.

        Examples:
            >>> from minds import ops
            >>> ops.Primitive("Thing").get_user_data("cost") is None
            True
        """
        return self._user_data.get(key)

    def get_attr_dict(self) -> dict:
        """The attributes.

        Returns:
            dict[str, Any]: a copy.

        Examples:
            >>> from minds import ops
            >>> ops.Primitive("Thing").add_prim_attr("level", 3).get_attr_dict()
            {'level': 3}
        """
        return dict(self.attrs)

    def init_prim_io_names(self, inputs, outputs) -> None:
        """Name the operands and the results.

        Args:
            inputs (list[str]): the operands.
            outputs (list[str]): the results.

        Examples:
            >>> from minds import ops
            >>> thing = ops.Primitive("Thing")
            >>> thing.init_prim_io_names(["x"], ["y"])
            >>> thing.input_names, thing.output_names
            (['x'], ['y'])
        """
        for name, given in (("inputs", inputs), ("outputs", outputs)):
            if not isinstance(given, (list, tuple)):
                what = f"init_prim_io_names: {name} has type {type(given).__name__}"
                raise complain(TypeError, what, expected="a list of names")
        self.input_names, self.output_names = list(inputs), list(outputs)
        self.add_prim_attr("input_names", list(inputs))
        self.add_prim_attr("output_names", list(outputs))

    def set_prim_instance_name(self, name: str) -> Primitive:
        """Name this instance.

        Args:
            name (str): the name.

        Returns:
            Primitive: this one.

        Examples:
            >>> from minds import ops
            >>> ops.Primitive("Thing").set_prim_instance_name("thing_1").instance_name
            'thing_1'
        """
        self.instance_name = name
        return self

    def set_stage(self, stage: int) -> Primitive:
        """Note the stage of a pipeline; it has no effect.

        Args:
            stage (int): which.

        Returns:
            Primitive: this one.

        Examples:
            >>> from minds import ops
            >>> ops.Add().set_stage(0).attrs["stage"]
            0
        """
        return self.add_prim_attr("stage", stage)

    def place(self, role: str, rank_id: int) -> Primitive:
        """Note which process computes this; it has no effect.

        Args:
            role (str), rank_id (int): of the process.

        Returns:
            Primitive: this one.

        Examples:
            >>> from minds import ops
            >>> ops.Add().place("MS_WORKER", 0).attrs["rank_id"]
            0
        """
        return self.add_prim_attr("role", role).add_prim_attr("rank_id", rank_id)

    def set_device(self, device_target: str) -> Primitive:
        """Where it should run.

        Args:
            device_target (str): "CPU".

        Returns:
            Primitive: this one.

        Examples:
            >>> from minds import ops
            >>> ops.Primitive("Thing").set_device("CPU").primitive_target
            'CPU'
        """
        return self.add_prim_attr("primitive_target", device_target)

    def shard(self, in_strategy=None, out_strategy=None) -> Primitive:
        """How compiled programs of several devices are to divide it.

        Args:
            in_strategy (tuple): for each operand a ``Layout``, or in how many parts each of its dimensions
                is. Default None.
            out_strategy (tuple): the same for the result. Default None.

        Returns:
            Primitive: this one.

        Raises:
            TypeError: a strategy has a wrong type.
            ValueError: there is an ``out_strategy`` alone.

        Examples:
            >>> from minds import ops
            >>> ops.Primitive("Thing").shard(((2, 1),)).in_strategy
            ((2, 1),)
        """
        for strategies in (in_strategy, out_strategy):
            if not isinstance(strategies, tuple | None):
                what = f"shard: the strategies are {strategies!r}"
                raise complain(TypeError, what, expected="a tuple, one for each tensor")
            for s in leaves_of(strategies or (), is_strategies):
                if s is not None:
                    dims_of(s)
        if in_strategy is None and out_strategy is not None:
            what = f"shard: out_strategy is {out_strategy!r}, and in_strategy is None"
            raise complain(ValueError, what, expected="both")
        return self.add_prim_attr("in_strategy", in_strategy).add_prim_attr(
            "out_strategy", out_strategy
        )

    def recompute(self, mode: bool = True) -> Primitive:
        """Whether its result is computed again for the gradient, rather than kept.

        Args:
            mode (bool): whether. Default True.

        Returns:
            Primitive: this one.

        Examples:
            >>> from minds import ops
            >>> ops.Primitive("Thing").recompute().attrs
            {'recompute': True}
        """
        self.attrs["recompute"] = mode
        return self

    def __call__(self, *args):
        known = NAMED.get(_plain(self.name)) if type(self) is Primitive else None
        return self.as_op(len(args))(*args) if known is None else known(*args)

    def as_op(self, count: int) -> Op:
        """The op that an application to ``count`` operands is.

        Args:
            count (int): the number of operands.

        Returns:
            Op: the same for the same number, until an attribute changes.

        Raises:
            TypeError: the op is called, and there is no inference of its own.

        Examples:
            >>> from minds import ops
            >>> thing = ops.Primitive("Thing")
            >>> thing.as_op(2) is thing.as_op(2)
            True
        """
        times(count, "count")
        key = (count, len(bprop_getters))  # a gradient may be registered after the first use
        found = self._ops.get(key)
        if found is None:
            found = self._ops[key] = _make_op(self, count)
        return found

    def __repr__(self) -> str:
        shown = ", ".join(
            f"{k}={v!r}" for k, v in self.attrs.items() if k not in ("input_names", "output_names")
        )
        return f"{self.name}({shown})"


class PrimitiveWithInfer(Primitive):
    """Base of primitives whose inference is written in Python.

    A subclass defines ``infer_shape(self, *shapes)`` and ``infer_dtype(self, *dtypes)``, or
    ``__infer__(self, *args)`` on dicts with ``shape``, ``dtype`` and ``value``; and a kernel:

    - ``host(self, *arrays)`` computes with NumPy arrays, or
    - ``vm_impl(self, *tensors)``, or ``__call__``, computes with tensors, outside of any program,
      or
    - ``compose(self, *tensors)`` says it in terms of other ops.

    A gradient is code over ops that runs while a program is built: choose by `ops.where` and
    compare by `ops.equal`.

    Args:
        name (str): its name. Default: the name of the class.

    Examples:
        >>> class Twice(ops.PrimitiveWithInfer):
        ...     @ops.prim_attr_register
        ...     def __init__(self):
        ...         self.init_prim_io_names(inputs=["x"], outputs=["y"])
        ...     def infer_shape(self, x):
        ...         return x
        ...     def infer_dtype(self, x):
        ...         return x
        ...     def host(self, x):
        ...         return x * 2
        ...     def bprop(self, x, out, dout):
        ...         return (dout * 2,)
        >>> print(Twice()(Tensor([1.0, 2.0])))
        [2. 4.]
    """

    def __init_subclass__(cls, **kwargs):
        super().__init_subclass__(**kwargs)
        call = cls.__dict__.get("__call__")
        if call is not None and "__class__" not in call.__code__.co_freevars:
            # Calls go through the op, in eager mode too, so that the gradient given for it is the
            # one used. One that calls super() does so already.
            cls.vm_impl = call
            del cls.__call__

    def __infer__(self, *args) -> dict:
        shape = self.infer_shape(*[a["shape"] for a in args])
        return {
            "shape": shape,
            "dtype": self.infer_dtype(*[a["dtype"] for a in args]),
            "value": None,
        }

    def infer_shape(self, *shapes):
        """The shape of the result (or a tuple of shapes) for the operands' shapes."""
        raise complain(TypeError, f"{self.name}: infer_shape is not defined")

    def infer_dtype(self, *dtypes):
        """The dtype of the result (or a tuple of dtypes) for the operands' dtypes."""
        raise complain(TypeError, f"{self.name}: infer_dtype is not defined")

    def infer_value(self, *values):
        """The result where it is known when the program is compiled, else None."""
        return


PrimitiveWithCheck = PrimitiveWithInfer

NAMED: dict = {}
"""The functions that ``Primitive(name)`` calls, by their names without underscores; filled by
`functional`.
"""


def _plain(name: str) -> str:
    """A name of a function or of its class: ``scalar_add``, ``ScalarAdd``."""
    return name.replace("_", "").lower()


def name_functions(functions: dict) -> None:
    """Let a primitive by a name call the function of that name."""
    NAMED.update((_plain(name), fn) for name, fn in functions.items())


def prim_attr_register(fn):
    """Decorator of a primitive's ``__init__``: its arguments become attributes.

    Examples:
        >>> class Scale(ops.PrimitiveWithInfer):
        ...     @ops.prim_attr_register
        ...     def __init__(self, factor=2):
        ...         pass
        >>> Scale(3).factor
        3
    """

    @functools.wraps(fn)
    def init(self, *args, **kwargs):
        Primitive.__init__(self, type(self).__name__)
        bound = inspect.signature(fn).bind(self, *args, **kwargs)
        bound.apply_defaults()
        for name, value in list(bound.arguments.items())[1:]:
            self.add_prim_attr(name, value)
        fn(self, *args, **kwargs)

    return init


class BpropRegistry(dict):
    """Gradients of users' primitives: class or name → a function of the primitive that gives its
    bprop.
    """

    def register(self, prim):
        """Decorator: ``@bprop_getters.register(MyOp)`` on ``get_bprop(self)``, which returns
        ``bprop(*inputs, out, dout)``.
        """

        def enter(fn):
            self[prim if isinstance(prim, str) else prim.__name__] = fn
            return fn

        return enter


bprop_getters = BpropRegistry()


# ---- a primitive as an op


def _make_op(prim: Primitive, count: int) -> Op:
    names = prim.input_names if len(prim.input_names) == count else [f"x{i}" for i in range(count)]

    def infer(*operands):
        return _inferred(prim, operands)

    infer.__name__ = infer.__qualname__ = prim.name
    infer.__doc__ = type(prim).__doc__
    infer.__signature__ = inspect.Signature(
        [
            inspect.Parameter(n, inspect.Parameter.POSITIONAL_OR_KEYWORD, annotation="Tensor")
            for n in names
        ]
    )
    made = Op(infer, host=_host_of(prim))
    compose = getattr(prim, "compose", None)
    if compose is not None:
        made.decompose(lambda *operands: compose(*operands))
    bprop = _bprop_of(prim)
    if bprop is not None:
        made.bprop(lambda *args: _gradients(prim, count, bprop(*args)))
    return made


def _inferred(prim: Primitive, operands):
    infer = getattr(prim, "__infer__", None)
    if infer is None:
        raise complain(
            TypeError,
            f"{prim.name}: has no inference",
            cure="derive from PrimitiveWithInfer and define infer_shape and infer_dtype",
        )
    found = infer(*[{"shape": a.shape, "dtype": a.dtype, "value": None} for a in operands])
    shape, dtype = found["shape"], found["dtype"]
    if not isinstance(shape, (tuple, list)):
        raise complain(
            TypeError,
            f"{prim.name}: infer_shape returned {shape!r}",
            expected="a tuple of ints, or of shapes",
        )
    if shape and isinstance(shape[0], (tuple, list)):
        dtypes = dtype if isinstance(dtype, (tuple, list)) else (dtype,) * len(shape)
        return AbstractTuple(
            AbstractTensor(s, dt.of(d)) for s, d in zip(shape, dtypes, strict=False)
        )
    return AbstractTensor(shape, dt.of(dtype))


def _host_of(prim: Primitive):
    """The kernel on NumPy arrays, if the primitive has one."""
    if hasattr(prim, "host"):
        return lambda *arrays: prim.host(*arrays)
    if not hasattr(prim, "vm_impl"):
        return None

    def host(*arrays):
        out = prim.vm_impl(*[Tensor(a) for a in arrays])
        many = isinstance(out, (tuple, list))
        results = [t.asnumpy() if isinstance(t, Tensor) else t for t in (out if many else (out,))]
        return tuple(results) if many else results[0]

    return host


def _bprop_of(prim: Primitive):
    """The gradient that was given for a primitive, by any of the three ways."""
    for cls in type(prim).__mro__:
        if cls.__name__ in bprop_getters:
            return bprop_getters[cls.__name__](prim)
    if hasattr(prim, "get_bprop"):
        return prim.get_bprop()
    return getattr(prim, "bprop", None)


def _gradients(prim: Primitive, count: int, grads) -> tuple:
    grads = tuple(grads) if isinstance(grads, (tuple, list)) else (grads,)
    if len(grads) != count:
        raise complain(
            TypeError,
            f"{prim.name}: its bprop returned {len(grads)} gradients for {count} inputs",
            expected="one gradient per input",
        )
    return grads


# MindSpore has these here too.
__getattr__, __dir__ = late(__name__, {"ops.composite": "_primexpr constexpr"})
