"""`grad`, `value_and_grad`, `GradOperation`: one transform, read by the compiler and by the eager tape."""
from __future__ import annotations

from . import compile as compiler
from .ad import tape
from .ad.zeros import cotangent_abstract
from .base.errors import complain
from .base.options import GRAPH_MODE, get_context
from .frontend import region
from .frontend.emit import EmitBuilder
from .frontend.values import Bound, Closure, Leaf, flatten, leaf_abstracts, unflatten
from .ir import prim
from .ir.abstract import NONE, AbstractFunction, AbstractTensor, AbstractTuple
from .ir.node import Constant, Node
from .ops.define import P
from .tensor import Parameter, Tensor


class Gradient:
    """The gradient function of ``fn``.

    Attributes:
        positions: the arguments to differentiate by; a tuple, or None for none.
        single: whether the gradient of the only position stands alone.
        weights: parameters to differentiate by, or None.
        value: whether the result starts with the value of ``fn``.
        has_aux: whether only the first output is differentiated, and the others are returned.
        sens: whether the last argument is the cotangent of the output.
    """

    def __init__(self, fn, positions, single, weights, value=False, has_aux=False, sens=False, wrap=None,
                 return_ids=False):
        self.fn, self.positions, self.single = getattr(fn, "_compiled_from", fn), positions, single
        self.weights = None if weights is None else weights
        self.value, self.has_aux, self.sens, self.wrap, self.return_ids = (
            value,
            has_aux,
            sens,
            wrap,
            return_ids,
        )
        self.__name__ = f"grad of {getattr(fn, '__name__', None) or getattr(fn, 'name', type(fn).__name__)}"

    def _spec(self):
        weights = self._weights()
        return ("grad", self.positions, self.single, None if weights is None else tuple(map(id, weights)),
                isinstance(self.weights, Parameter), self.value, self.has_aux, self.sens, self.return_ids)

    def _weights(self):
        if self.weights is None:
            return None
        return [self.weights] if isinstance(self.weights, Parameter) else list(self.weights)

    def _split(self, args):
        """The arguments of ``fn``, the cotangent (or None), and the checked positions."""
        sens = None
        if self.sens:
            if not args:
                raise complain(TypeError, "grad: sens_param=True needs the cotangent as the last argument")
            *args, sens = args
        positions = range(len(args)) if self.positions == "all" else self.positions or ()
        for i in positions:
            if not -len(args) <= i < len(args):
                raise complain(
                    ValueError, f"grad: grad_position {i} is out of range for {len(args)} arguments"
                )
        return list(args), sens, [i % len(args) for i in positions]

    def _arrange(self, value, by_position: list, by_weight):
        """The result in the form that was asked for."""
        if self.return_ids:
            positions = self.positions if self.positions != "all" else range(len(by_position))
            by_position = [(i, g) for i, g in zip(positions or (), by_position)]
            if by_weight is not None:
                by_weight = [(p.name, g) for p, g in zip(self._weights(), by_weight)]
        first = (
            (by_position[0] if self.single else tuple(by_position)) if self.positions is not None else None
        )
        second = None
        if by_weight is not None:
            second = by_weight[0] if isinstance(self.weights, Parameter) else tuple(by_weight)
        grads = second if self.positions is None else first if by_weight is None else (first, second)
        if self.value:
            return value, grads
        if self.has_aux:
            return grads, value[1:]
        return grads

    # ---- eager

    def __call__(self, *args, **kwargs):
        if get_context("mode") == GRAPH_MODE and not tape.active():
            owner = getattr(self.fn, "__func__", self.fn)
            if not hasattr(owner, "__weakref__"):
                owner = self
            return compiler.run(owner, self, args, kwargs, self._spec())
        args, sens, positions = self._split(args)
        inputs = [self._leaf_tensors(args[i], i) for i in positions]
        watched = Watched(inputs)
        for i, leaves in zip(positions, watched.inputs):
            args[i] = _rebuild(args[i], iter(leaves))
        weights = self._weights() or []
        recorder = tape.Tape()
        for t in (*watched.flat, *weights):
            recorder.watch(t)
        with recorder:
            value = self.fn(*args, **kwargs)
        outs = _tensors(value[0] if self.has_aux else value)
        if sens is not None:
            douts = _tensors(sens)
            if len(douts) != len(outs):
                raise complain(ValueError, f"grad: {len(douts)} cotangents for {len(outs)} outputs")
            douts = [_like(d, o) for d, o in zip(douts, outs)]
        else:
            douts = [None if o.dtype.is_bool else P.full(o.shape, 1, o.dtype) for o in outs]
        found = recorder.gradients(
            [o for o, d in zip(outs, douts) if d is not None],
            [d for d in douts if d is not None],
            [*watched.flat, *weights],
        )
        found = [
            P.full(t.shape, 0, t.dtype) if g is None else g for g, t in zip(found, [*watched.flat, *weights])
        ]
        grads = iter(found)
        by_position = [_rebuild(args[i], grads) for i in positions]
        return self._arrange(value, by_position, None if self.weights is None else list(grads))

    def _leaf_tensors(self, value, position: int) -> list:
        found = _tensors(value)
        if not found:
            raise complain(
                TypeError,
                f"grad: argument {position} is {type(value).__name__}, which has no gradient",
                expected="a Tensor",
                cure="choose another grad_position",
            )
        return found

    # ---- graph

    def _emit(self, ip, args, kwargs):
        args, sens, positions = self._split(args)
        weights = self._weights() or []
        given: list = []
        skeletons = [_differentiable(ip, args[i], given) for i in positions]
        given += [ip.read(w) for w in weights]
        graph = ip.graph("grad")
        loaded, stand_ins = ip.loaded, ip.stand_ins
        with ip.inside(EmitBuilder(ip, graph)):
            params = [graph.add_param(f"v{i}", n.abstract, ip.here()) for i, n in enumerate(given)]
            leaves = iter(params)
            for i, s in zip(positions, skeletons):
                args[i] = unflatten(s, leaves)
            ip.stand_ins = {**stand_ins, **{id(w): n for w, n in zip(weights, leaves)}}
            ip.loaded = {k: n for k, n in loaded.items() if k not in ip.stand_ins}
            value = ip.call(self.fn, args, kwargs)
            outs: list = []
            out_skeleton = flatten(compiler._loaded(ip, value), outs)
            graph.output = region.pack(ip, [ip.node(o) for o in outs])
            ip.loaded, ip.stand_ins = (
                {k: n for k, n in loaded.items() if k in ip.loaded or k in stand_ins},
                stand_ins,
            )
        abstracts = leaf_abstracts(out_skeleton, [])
        values, grads = self._call_j(ip, graph, given, abstracts, out_skeleton, sens)
        value = unflatten(out_skeleton, iter(values))
        grads = iter(grads)
        by_position = [unflatten(s, grads) for s in skeletons]
        return self._arrange(value, by_position, None if self.weights is None else list(grads))

    def _call_j(self, ip, graph, given: list, abstracts: list, out_skeleton, sens):
        """Emit J(graph)(given) and the call of the backpropagator; returns (value leaves, gradients)."""
        b = ip.builder
        out_type = graph.ret.abstract
        back_type = AbstractFunction(("back", graph))
        jg = b.emit(prim.J, (graph,), AbstractFunction(("J", graph)))
        t = b.emit(jg, given, AbstractTuple((out_type, back_type)))
        out, back = b.getitem(t, 0), b.getitem(t, 1)
        values = region.unpack(ip, out, len(abstracts))
        counted = leaf_abstracts(out_skeleton[0] if self.has_aux else out_skeleton, [])
        douts = _given_cotangents(ip, sens, counted) if sens is not None else [
            _filled(ip, a, 1) for a in counted]
        douts += [_filled(ip, a, 0) for a in abstracts[len(counted):]]
        dout = region.pack(ip, douts)
        types = [cotangent_abstract(n.abstract) for n in given]
        grads = b.emit(back, (dout,), AbstractTuple(types))
        return values, [_filled(ip, n.abstract, 0) if a is NONE else b.getitem(grads, i)
                        for i, (a, n) in enumerate(zip(types, given))]


class Watched:
    """The tensors to differentiate by, each under an identity of its own (an argument may be passed
    twice).
    """

    def __init__(self, groups: list):
        self.inputs = [[t if isinstance(t, Parameter) else self._own(t) for t in g] for g in groups]
        self.flat = [t for g in self.inputs for t in g]

    @staticmethod
    def _own(t: Tensor) -> Tensor:
        # An enclosing tape must see where the new identity comes from.
        return P.reshape(t, t.shape) if tape.active() else Tensor._wrap(t._array.reshape(t.shape))


def _tensors(value) -> list:
    """The tensors of a nested value, in order."""
    if isinstance(value, Tensor):
        return [value]
    if isinstance(value, (tuple, list)):
        return [t for v in value for t in _tensors(v)]
    if isinstance(value, dict):
        return [t for v in value.values() for t in _tensors(v)]
    return []


def _rebuild(value, tensors):
    """``value`` with its tensors replaced in order."""
    if isinstance(value, Tensor):
        return next(tensors)
    if isinstance(value, (tuple, list)):
        items = [_rebuild(v, tensors) for v in value]
        return type(value)(*items) if hasattr(value, "_fields") else type(value)(items)
    if isinstance(value, dict):
        return {k: _rebuild(v, tensors) for k, v in value.items()}
    return value


def _like(d: Tensor, o: Tensor) -> Tensor:
    if d.shape != o.shape:
        if d.size == 1 and o.size == 1:
            d = P.reshape(d, o.shape)
        else:
            raise complain(ValueError, f"grad: the cotangent has shape {d.shape}, the output {o.shape}")
    return d if d.dtype is o.dtype else P.cast(d, o.dtype)


def _differentiable(ip, value, given: list):
    """The skeleton of an argument to differentiate by; its leaves, numbers included, go to ``given``."""
    if isinstance(value, Parameter):
        value = ip.read(value)
    if type(value) in (int, float):
        value = Constant(float(value), region.values.abstract(float(value)))
    if isinstance(value, (tuple, list)) and not hasattr(value, "_fields"):
        return type(value)([_differentiable(ip, v, given) for v in value])
    leaves: list = []
    skeleton = flatten(value, leaves)
    if not leaves:
        raise complain(
            TypeError,
            f"grad: an argument to differentiate by is {type(value).__name__}, which has no gradient",
            expected="a Tensor or a float",
            cure="choose another grad_position",
        )
    given += [_own_node(ip, ip.node(v)) for v in leaves]
    return skeleton


def _own_node(ip, n: Node) -> Node:
    """``n`` under an identity of its own, as in `Watched`: an enclosing gradient then sums in the same
    order.
    """
    return ip.native(P.reshape, n, n.shape) if isinstance(n.abstract, AbstractTensor) else n


def _given_cotangents(ip, sens, counted: list) -> list:
    leaves: list = []
    skeleton = flatten(sens, leaves)
    if not leaves and type(sens) in (int, float):
        leaves, skeleton = [sens], Leaf(None)
    del skeleton
    if len(leaves) != len(counted):
        raise complain(ValueError, f"grad: {len(leaves)} cotangents for {len(counted)} outputs")
    out = []
    for d, a in zip(leaves, counted):
        if cotangent_abstract(a) is NONE:
            out.append(Constant(None, NONE))
            continue
        have = region.values.abstract(d)
        if have is not a and have.shape != a.shape:
            raise complain(ValueError, f"grad: the cotangent is {have!r}, the output {a!r}")
        same_kind = isinstance(have, type(a))
        out.append(
            ip.node(d)
            if have is a
            else ip.native(P.cast, ip.node(d), a.dtype)
            if same_kind and not isinstance(a, region.values.AbstractScalar)
            else region.convert(ip, d, a)
        )
    return out


def _filled(ip, a, number: int) -> Node:
    """A node of abstract value ``a`` with ``number`` everywhere; the constant None where there is no
    cotangent.
    """
    if cotangent_abstract(a) is NONE:
        return Constant(None, NONE)
    if isinstance(a, region.values.AbstractScalar):
        return Constant(float(number), a)
    return ip.native(P.full, a.shape, number, a.dtype)


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
    return tuple(grad_position), False


def _check(fn, name: str) -> None:
    if not (callable(fn) or isinstance(fn, (Closure, Bound)) or hasattr(type(fn), "_emit")):
        raise complain(TypeError, f"{name}: fn has type {type(fn).__name__}", expected="a function or a Cell")


def grad(fn, grad_position=0, weights=None, has_aux: bool = False, return_ids: bool = False) -> Gradient:
    """The function that computes the gradient of ``fn`` (the vector-Jacobian product with ones).

    Args:
        fn (Callable): a function or Cell.
        grad_position (int | tuple[int] | None): the arguments to differentiate by.
        weights (Parameter | ParameterTuple | list): parameters to differentiate by.
        has_aux (bool): only the first output is differentiated; the result is ``(gradients, other outputs)``.
        return_ids (bool): pair each gradient with its position or parameter name.
    Returns:
        Callable: takes the arguments of ``fn``, returns the gradients: of the position, or a tuple for
        several; with weights ``(by position, by weights)``; with ``grad_position=None`` those of the weights
        only.
    Raises:
        TypeError: ``fn`` cannot be called, or there is nothing to differentiate by.

    Examples:
        >>> import minds as ms
        >>> float(ms.grad(lambda x: x * x * x)(ms.Tensor(2.0)))
        12.0
    """
    return _make(fn, grad_position, weights, False, has_aux, return_ids, "grad")


def value_and_grad(
    fn, grad_position=0, weights=None, has_aux: bool = False, return_ids: bool = False
) -> Gradient:
    """The function that computes ``fn`` and its gradient; arguments as in `grad`, result ``(value,
    gradients)``.

    Examples:
        >>> import minds as ms
        >>> value, g = ms.value_and_grad(lambda x: x * x)(ms.Tensor(3.0))
        >>> float(value), float(g)
        (9.0, 6.0)
    """
    return _make(fn, grad_position, weights, True, has_aux, return_ids, "value_and_grad")


def _make(fn, grad_position, weights, value, has_aux, return_ids, name) -> Gradient:
    _check(fn, name)
    positions, single = _positions(grad_position)
    if positions is None and weights is None:
        raise complain(ValueError, f"{name}: neither grad_position nor weights is given")
    return Gradient(fn, positions, single, weights, value, has_aux, return_ids=return_ids)


class GradOperation:
    """MindSpore's older form of `grad`.

    Args:
        get_all (bool): gradients of all inputs; else of the first.
        get_by_list (bool): gradients of the parameters given as the second argument of the call.
        sens_param (bool): the last argument of the gradient function is the cotangent of the output.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> dx, dy = ops.GradOperation(get_all=True)(lambda x, y: x * y)(ms.Tensor(2.0), ms.Tensor(5.0))
        >>> float(dx), float(dy)
        (5.0, 2.0)
    """

    _static_instances = True

    def __init__(self, get_all: bool = False, get_by_list: bool = False, sens_param: bool = False):
        for name, v in (("get_all", get_all), ("get_by_list", get_by_list), ("sens_param", sens_param)):
            if not isinstance(v, bool):
                raise complain(TypeError, f"GradOperation: {name} is {v!r}", expected="a bool")
        self.get_all, self.get_by_list, self.sens_param = get_all, get_by_list, sens_param

    def __call__(self, fn, weights=None) -> Gradient:
        _check(fn, "GradOperation")
        if self.get_by_list and weights is None:
            weights = fn.trainable_params()
        if not self.get_by_list:
            weights = None
        positions = "all" if self.get_all else None if self.get_by_list else (0,)
        return Gradient(
            fn, positions, not self.get_all and not self.get_by_list, weights, sens=self.sens_param
        )

    def _emit(self, ip, args, kwargs):
        return self(*args, **kwargs)


def _emit_make(maker):
    return lambda ip, *args, **kwargs: maker(*args, **kwargs)


for _maker in (grad, value_and_grad):
    compiler.library.EMITTERS[_maker] = _emit_make(_maker)
