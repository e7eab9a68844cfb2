"""`grad`, `value_and_grad`, `GradOperation`: one transform, read by the compiler and by the eager
tape.
"""

from __future__ import annotations

from ..base import dtype as dt
from ..base import tree
from ..base.errors import NoSuchPosition, complain
from ..frontend.describe import describe
from ..frontend.function_types import Bound, Closure, UnionValue
from ..frontend.registry import EMITTERS
from ..frontend.run_lists import is_open, is_tensor
from ..frontend.value_types import RunList, is_made
from ..frontend.values import leaf_abstracts
from ..ir.abstract import NONE, AbstractScalar, AbstractTensor
from ..ir.node import Node
from ..jit.results import loaded
from ..tensor import Parameter, Tensor
from . import last_call
from .graph_pullback import GraphPullback
from .leaves import holds_float
from .tape_pullback import TapePullback
from .transformed import Transformed, by_number, emitted


class Gradient(Transformed):
    """The gradient function of ``fn``.

    Attributes:
        positions: the arguments to differentiate by: a tuple, None for none, "all", or "first", if
            there is one.
        single: whether the gradient of the only position stands alone.
        weights: parameters to differentiate by, or None.
        value: whether the result starts with the value of ``fn``.
        has_aux: whether only the first output is differentiated, and the others are returned.
        sens: whether the last argument is the cotangent of the output.
        return_ids: whether each gradient is paired with its position or parameter name.
        integers: whether arguments and results may hold integers alone, whose gradients are what
            the rules give, as in MindSpore's older form.
    """

    _UNREAD = ("settings",)  # of other attributes, with identities of parameters (`jit.reach`)

    def __init__(
        self,
        fn,
        positions,
        single,
        weights,
        value=False,
        has_aux=False,
        sens=False,
        return_ids=False,
        integers=False,
    ):
        self.integers = integers
        self.positions, self.single, self.weights = positions, single, weights
        self.value, self.has_aux, self.sens, self.return_ids = value, has_aux, sens, return_ids
        by = None if weights is None else tuple(map(id, self._weights()))
        one = isinstance(weights, Parameter)
        super().__init__(fn, positions, single, by, one, value, has_aux, sens, return_ids, integers)
        name = getattr(fn, "__name__", None) or getattr(fn, "name", type(fn).__name__)
        self.__name__ = f"grad of {name}"

    def _weights(self):
        if self.weights is None:
            return None
        return [self.weights] if isinstance(self.weights, Parameter) else list(self.weights)

    def _identities(self) -> list:
        return [*super()._identities(), *(self._weights() or ())]

    def _split(self, args, kwargs, constant=None):
        """(function, its arguments, the cotangent or None, the checked positions).

        By all inputs means: by those that `_counts`; positions go on through named ones, in the order
        of the call.
        """
        fn, kwargs, sens = self.fn, dict(kwargs), None
        if self.sens and "sens" in kwargs:
            sens = kwargs.pop("sens")
        elif self.sens:
            if not args:
                raise complain(
                    TypeError, "grad: sens_param=True needs the cotangent as the last argument"
                )
            *args, sens = args
        if kwargs and self._reaches(len(args)):
            fn = _Named(fn, len(args), tuple(kwargs))
            args, kwargs = [*args, *kwargs.values()], {}
        if self.positions == "all":
            counting = [i for i, v in enumerate(args) if _counts(v, constant)]
            return fn, list(args), kwargs, sens, counting
        if self.positions == "first":
            first = [v for v in args[:1] if _counts(v, constant) or not _is_container(v)]
            return fn, list(args), kwargs, sens, list(range(len(first)))
        positions = self.positions or ()
        for i in positions:
            if not -len(args) <= i < len(args):
                what = f"grad: grad_position {i} is out of range for {len(args)} arguments"
                raise complain(NoSuchPosition, what)
        given = [i % len(args) for i in positions]
        moved = [i for i in given if not _is_constant(args[i])]
        return fn, list(args), kwargs, sens, moved or given

    def _reaches(self, count: int) -> bool:
        """Whether it differentiates by more than the first ``count`` arguments."""
        if self.positions in ("all", "first"):
            return self.positions == "all" or not count
        return any(i >= count for i in self.positions or ())

    def _arrange(self, value, by_position: list, by_weight, positions: list):
        """The result in the form that was asked for."""
        if self.return_ids:
            by_position = list(zip(positions, by_position))
            if by_weight is not None:
                by_weight = [(p.name, g) for p, g in zip(self._weights(), by_weight)]
        left_out = isinstance(self.positions, tuple) and len(positions) < len(self.positions)
        single = self.single or left_out and len(positions) == 1
        first = (
            (by_position[0] if single and by_position else tuple(by_position))
            if self.positions is not None
            else None
        )
        second = None
        if by_weight is not None:
            second = by_weight[0] if isinstance(self.weights, Parameter) else tuple(by_weight)
        grads = (
            second if self.positions is None else first if by_weight is None else (first, second)
        )
        if self.value:
            return value, grads
        if self.has_aux:
            return grads, value[1:]
        return grads

    def compute(self, *args, **kwargs):
        """The gradients, on tensors."""
        fn, given, named, sens, positions = self._split(args, kwargs)
        if any(holds_float(given[i]) for i in positions):
            # A number has no identity that a tape could know it by.
            return by_number(_NamedGradient(self, tuple(kwargs)), (*args, *kwargs.values()))
        weights = self._weights() or ()
        run = None if positions else last_call.recorded(fn, given, named, weights)
        if run is None:
            run = TapePullback(fn, given, named, positions, weights, self.integers, once=True)
        return self._result(run, sens, positions)

    def _emit(self, ip, args, kwargs):
        fn, args, kwargs, sens, positions = self._split(args, kwargs, ip.tensors.constant)
        sens = loaded(ip, sens)
        weights = self._weights() or ()
        run = None if positions else last_call.emitted(ip, fn, args, kwargs, weights)
        if run is None:
            run = GraphPullback(ip, fn, args, kwargs, positions, weights, self.integers)
        return self._result(run, sens, positions)

    def _result(self, run, sens, positions):
        if self.has_aux and not (isinstance(run.value, tuple) and run.value):
            raise complain(
                TypeError,
                f"grad: has_aux=True, but the function gives {describe(run.value)}",
                expected="a tuple: the output to differentiate, then the others",
            )
        counted = run.value[0] if self.has_aux else run.value
        parts = (counted,) if type(counted) is Tensor else tree.leaves(counted)
        if not self.integers and all(map(_holds_nothing, parts)):
            raise complain(
                TypeError,
                f"grad: the function gives {describe(counted)}, which has no gradient",
                expected="a Tensor, or several",
                cure="return the value to differentiate, such as a loss",
            )
        by_position, by_weight = run.pull(counted, sens)
        by_weight = None if self.weights is None else by_weight
        return self._arrange(run.value, by_position, by_weight, positions)


class _Named:
    """``fn`` called with arguments in a row, of which those after the first ``count`` have
    names.
    """

    def __init__(self, fn, count: int, names: tuple):
        self.fn, self.count, self.names = fn, count, names

    def __call__(self, *args):
        return self.fn(*args[: self.count], **dict(zip(self.names, args[self.count :])))

    def _emit(self, ip, args, kwargs):
        return ip.call(self.fn, list(args[: self.count]), dict(zip(self.names, args[self.count :])))


class _NamedGradient:
    """A gradient function whose last arguments have names, to be traced."""

    def __init__(self, gradient: Gradient, names: tuple):
        self.gradient, self.names, self.__name__ = gradient, names, gradient.__name__

    def _owner(self):
        return self.gradient._owner()

    def _identities(self) -> list:
        return self.gradient._identities()

    def _spec(self):
        return ("by number", self.gradient._spec(), self.names)

    def _emit(self, ip, args, kwargs):
        count = len(args) - len(self.names)
        return self.gradient._emit(ip, args[:count], dict(zip(self.names, args[count:])))


def _counts(v, constant: set | None) -> bool:
    """Whether `GradOperation` differentiates by an argument: by a tensor; in compiled code, where
    ``constant`` are the nodes that MindSpore takes for constants, by a container that holds others.
    """
    if not _is_container(v):
        return is_tensor(v)
    if constant is None:
        return False
    if is_open(v):
        return any(isinstance(a, AbstractTensor) for a in leaf_abstracts(v.rows.skeleton, []))
    return any(
        is_tensor(x) and (isinstance(x, Parameter) or isinstance(x, Node) and x not in constant)
        for x in tree.leaves(v)
    )


def _is_constant(v) -> bool:
    """Whether an argument holds nothing but words, flags, whole numbers and dtypes: beside others it
    has no gradient, as in MindSpore, and counts for none.
    """
    held = tree.leaves(v, is_leaf=lambda x: type(x) is RunList or is_made(x))
    return all(x is None or isinstance(x, (str, bool, int, dt.DType)) for x in held)


def _is_container(v) -> bool:
    return is_open(v) or isinstance(v, (tuple, list, dict))


def _holds_nothing(v) -> bool:
    """Whether a part of a result holds neither elements nor functions. By whole numbers and bools of
    tensors the gradient is 0.
    """
    a = v.abstract if isinstance(v, (Tensor, Node)) else None
    if isinstance(a, AbstractTensor):
        return False
    if isinstance(a, AbstractScalar):
        return not a.dtype.is_inexact
    return a is NONE or v is None or isinstance(v, (bool, int, str))


def _positions(grad_position):
    """(positions, whether there is a single one) as `Gradient` takes them."""
    if grad_position is None:
        return None, False
    if isinstance(grad_position, bool) or not isinstance(grad_position, (int, tuple, list)):
        raise complain(
            TypeError,
            f"grad: grad_position is {grad_position!r}",
            expected="an int, a tuple of ints, or None",
        )
    if isinstance(grad_position, int):
        return (grad_position,), True
    if not grad_position:
        raise complain(ValueError, "grad: grad_position is empty", expected="an int, ints, or None")
    if len(set(grad_position)) < len(grad_position):
        raise complain(
            ValueError, f"grad: grad_position {tuple(grad_position)} names an argument twice"
        )
    return tuple(grad_position), len(grad_position) == 1


def _is_function(fn) -> bool:
    return (
        callable(fn) or isinstance(fn, (Closure, Bound, UnionValue)) or hasattr(type(fn), "_emit")
    )


def _check(fn, name: str) -> None:
    if not _is_function(fn):
        raise complain(TypeError, f"{name}: fn is {describe(fn)}", expected="a function or a Cell")


def grad(
    fn,
    grad_position=0,
    weights=None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Gradient:
    """The function that computes the gradient of ``fn`` (the vector-Jacobian product with ones).

    Args:
        fn (Callable): a function or Cell.
        grad_position (int | tuple[int] | None): the arguments to differentiate by; named ones count
            after the others, in the order of the call.
        weights (Parameter | ParameterTuple | list): parameters to differentiate by.
        has_aux (bool): only the first output is differentiated; the result is ``(gradients, other
            outputs)``.
        return_ids (bool): pair each gradient with its position or parameter name.
        sens_param (bool): the last argument of the result is the cotangent of the output, in place
            of ones. Default: False.
    Returns:
        Callable: takes the arguments of ``fn``, returns the gradients: of the position, or a tuple
        for several; with weights ``(by position, by weights)``; with ``grad_position=None`` those
        of the weights only.
    Raises:
        TypeError: ``fn`` cannot be called, an argument to differentiate by holds integers, or the
            result does.

    Examples:
        >>> import minds as ms
        >>> float(ms.grad(lambda x: x * x * x)(ms.Tensor(2.0)))
        12.0
    """
    return _make(fn, grad_position, weights, False, has_aux, return_ids, sens_param, "grad")


def value_and_grad(
    fn,
    grad_position=0,
    weights=None,
    has_aux: bool = False,
    return_ids: bool = False,
    sens_param: bool = False,
) -> Gradient:
    """The function that computes ``fn`` and its gradient.

    Args:
        fn (Callable): a function or Cell.
        grad_position (int | tuple[int] | None): the arguments to differentiate by. Default: 0.
        weights (Parameter | ParameterTuple | list): parameters to differentiate by. Default: None.
        has_aux (bool): only the first output is differentiated; the value has all of them. Default:
            False.
        return_ids (bool): pair each gradient with its position or parameter name. Default: False.
        sens_param (bool): the last argument of the result is the cotangent of the output, in place
            of ones. Default: False.
    Returns:
        Callable: takes the arguments of ``fn``, returns ``(value, gradients)``; each gradient has
        shape and dtype of what it is taken by, arranged as those of `grad`.
    Raises:
        TypeError: ``fn`` cannot be called, or ``grad_position`` or ``weights`` is of another type.
        ValueError: there is nothing to differentiate by, or a position stands twice.

    Examples:
        >>> import minds as ms
        >>> value, g = ms.value_and_grad(lambda x: x * x)(ms.Tensor(3.0))
        >>> float(value), float(g)
        (9.0, 6.0)
    """
    return _make(
        fn, grad_position, weights, True, has_aux, return_ids, sens_param, "value_and_grad"
    )


def _make(fn, grad_position, weights, value, has_aux, return_ids, sens, name) -> Gradient:
    _check(fn, name)
    positions, single = _positions(grad_position)
    for w in () if weights is None or isinstance(weights, Parameter) else weights:
        if not isinstance(w, Parameter):
            raise complain(
                TypeError, f"{name}: one of weights is {describe(w)}", expected="a Parameter"
            )
    if positions is None and weights is None:
        raise complain(ValueError, f"{name}: neither grad_position nor weights is given")
    return Gradient(
        fn, positions, single, weights, value, has_aux, return_ids=return_ids, sens=sens
    )


class GradOperation:
    """MindSpore's older form of `grad`. As there, it takes integers too, where `grad` raises: each
    gradient is of the dtype of what it is taken by, so by integers it is cut to a whole number (that
    of ``x * 0.5`` is 0), and by bools it is whether that of the numbers to which they are cast is not 0.

    Args:
        get_all (bool): gradients of all inputs that are tensors, named ones last, in compiled code
            also of tuples, lists and dicts that are `mutable` or made there; else of the first.
        get_by_list (bool): gradients of the parameters given as the second argument of the call.
        sens_param (bool): the last argument of the gradient function, or the one named ``sens``, is
            the cotangent of the output.

    Raises:
        TypeError: one of them is no bool.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> dx, dy = ops.GradOperation(get_all=True)(lambda x, y: x * y)(ms.Tensor(2.0), ms.Tensor(5.0))
        >>> float(dx), float(dy)
        (5.0, 2.0)
    """

    _static_instances = True

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False):
        for name, v in (
            ("get_all", get_all),
            ("get_by_list", get_by_list),
            ("sens_param", sens_param),
        ):
            if not isinstance(v, bool):
                got = f"{type(v).__name__} {v!r}"
                what = f"For 'GradOperation', the '{name}' should be bool, but got {got}."
                raise complain(TypeError, what)
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn, weights=None) -> Gradient:
        return self._gradient(fn, weights)

    def _gradient(self, fn, weights, value: bool = False) -> Gradient:
        """The gradient function; with ``value`` its result starts with the value of ``fn``."""
        if not _is_function(fn):
            what = (
                "For 'GradOperation', the first argument must be a 'Function' or 'Cell', but got "
            )
            raise complain(TypeError, f"{what}{describe(fn)}.")
        if self.get_by_list and weights is None:
            weights = fn.trainable_params()
        if not self.get_by_list:
            weights = None
        positions = "all" if self.get_all else None if self.get_by_list else "first"
        return Gradient(
            fn,
            positions,
            not self.get_all and not self.get_by_list,
            weights,
            value,
            sens=self.sens_param,
            integers=True,
        )

    def _emit(self, ip, args, kwargs):
        return self(*args, **kwargs)


def _emit_make(maker):
    return lambda ip, *args, **kwargs: maker(*args, **kwargs)


def get_grad(gradients, identifier):
    """The gradient of one position or parameter among those that ``grad(..., return_ids=True)``
    returned.

    Args:
        gradients (tuple): the gradients with their identifiers.
        identifier (int | Parameter): the position or the parameter.
    Returns:
        Tensor: the gradient, of shape and dtype of what it was taken by.
    Raises:
        RuntimeError: it is not among them.

    Examples:
        >>> import minds as ms
        >>> found = ms.grad(lambda x, y: x * y, (0, 1), return_ids=True)(ms.Tensor(2.0), ms.Tensor(5.0))
        >>> float(ms.get_grad(found, 1))
        2.0
    """
    name = identifier.name if isinstance(identifier, Parameter) else identifier
    stack, seen = [gradients], set()
    while stack:
        found = stack.pop()
        if not isinstance(found, (tuple, list)) or id(found) in seen:
            continue
        seen.add(id(found))  # it may hold itself
        if len(found) == 2 and type(found[0]) is type(name) and found[0] == name:
            return found[1]
        stack += found
    raise complain(RuntimeError, f"get_grad: there is no gradient of {name!r}")


for _maker in (grad, value_and_grad):
    EMITTERS[_maker] = _emit_make(_maker)
EMITTERS[get_grad] = emitted(get_grad)
