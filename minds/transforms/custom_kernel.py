"""`Custom`: an operator whose kernel the user writes, in Python or as a function of a C++ library,
with rules for shapes and dtypes and, if there is to be a gradient, `bprop`.
"""

from __future__ import annotations

import ctypes
import os
import subprocess
import tempfile

import numpy as np

from ..base.dtype import of as dtype_of
from ..base.errors import complain
from .host_callback import host
from .kernel_script import Kernel

_SOURCES = (".c", ".cc", ".cpp", ".cxx")
_KINDS = ("hybrid", "pyfunc", "aot")
_OTHERS = ("akg", "tbe", "julia")
_built: dict[tuple, str] = {}
_folder: list[tempfile.TemporaryDirectory] = []


class Custom:
    """An operator with a kernel of the user's.

    Args:
        func (Callable, str): the kernel: a Python function of NumPy arrays that gives one array or
            a tuple of them; or, for ``"aot"``, ``"path:name"``: a function of a shared library, or of a
            C or C++ source, which the installed compiler (``$CXX``, else ``g++``) builds. That function is
            ``int name(int nparam, void **params, int *ndims, int64_t **shapes, const char **dtypes,
            void *stream, void *extra)``; the parameters are the inputs and behind them the outputs, and a
            result that is not 0 is an error.
        out_shape (Callable, tuple, list): the shape of the result, or a function of the inputs'
            shapes that gives it; of several results a tuple of shapes. Default: None, what
            the kernel gives for zeros (Python kernels only).
        out_dtype (Callable, dtype, tuple): the dtype, in the same way. Default: None.
        func_type (str): "pyfunc", "hybrid" (a function of `kernel`) or "aot". Default: "pyfunc".
        bprop (Callable): ``(*inputs, out, dout)`` to a tuple of one gradient per input, of
            compiled code. Default: None, which is no gradient.
        reg_info (Any): what `CustomRegOp` gives; has no effect. Default: None.

    Inputs:
        - **inputs** (Tensor) - what the kernel takes.

    Outputs:
        Tensor or tuple of Tensors, of the shapes and dtypes that the rules say.

    Raises:
        TypeError: ``func`` does not fit ``func_type``.
        ValueError: an unknown ``func_type``, no such file or function; in a call: a missing rule.
        RuntimeError: the compiler fails; in a call: the kernel gives a result that is not 0, or
            ``func`` is the name of a kernel of Ascend devices.

    Examples:
        >>> add = ops.Custom(lambda x, y: x + y, lambda x, _: x, lambda x, _: x, "pyfunc")
        >>> print(add(Tensor([1.0, 2.0]), Tensor([3.0, 4.0])))
        [4. 6.]
        >>> square = ops.Custom(
        ...     lambda x: x * x, lambda x: x, lambda x: x, "pyfunc",
        ...     bprop=lambda x, out, dout: (2.0 * x * dout,),
        ... )
        >>> print(ms.grad(square)(Tensor([3.0])))
        [6.]
    """

    def __init__(
        self, func, out_shape=None, out_dtype=None, func_type="pyfunc", bprop=None, reg_info=None
    ):
        _check(func, func_type, out_shape)
        self.func, self.out_shape, self.out_dtype = func, out_shape, out_dtype
        self.func_type, self.bprop, self.reg_info = func_type, bprop, reg_info
        self._run = func
        if func_type == "aot":
            ruled = out_shape is not None and out_dtype is not None
            self._run = _library_kernel(func) if ruled and ":" in func else None
        run = self._called if func_type != "aot" else self._filled

        def kernel(*args):
            return run(*args)

        kernel.__name__ = (
            f"Custom {func}" if func_type == "aot" else getattr(func, "__name__", "Custom")
        )
        self._made = host(kernel, self._promise, bprop)

    def __call__(self, *inputs):
        return self._made(*inputs)

    def _emit(self, ip, args, kwargs):
        """In compiled code."""
        return self._made._emit(ip, args, kwargs)

    def add_prim_attr(self, name: str, value) -> Custom:
        """Note an attribute; it has no effect.

        Args:
            name (str), value (Any): the attribute; has no effect.
        Returns:
            Custom: this operator.

        Examples:
            >>> op = ops.Custom(lambda x: x, lambda x: x, lambda x: x, "pyfunc")
            >>> op.add_prim_attr("primitive_target", "CPU") is op
            True
        """
        return self

    def _promise(self, *inputs):
        """What `host` is told of the results: pairs of shape and dtype."""
        self._ready()
        if self.out_shape is None or self.out_dtype is None:
            tried = self._called(*[np.zeros(_shape(a), a.dtype.np) for a in inputs])
            several = isinstance(tried, tuple)
            shapes = tuple(r.shape for r in tried) if several else tried.shape
            kinds = tuple(dtype_of(r.dtype) for r in tried) if several else dtype_of(tried.dtype)
        shapes = (
            _ruled(self.out_shape, map(_shape, inputs)) if self.out_shape is not None else shapes
        )
        kinds = (
            _ruled(self.out_dtype, (a.dtype for a in inputs))
            if self.out_dtype is not None
            else kinds
        )
        if not isinstance(kinds, (tuple, list)):
            return tuple(shapes), kinds
        return tuple([(tuple(s), k) for s, k in zip(shapes, kinds, strict=True)])

    def _ready(self) -> None:
        """Refuse the call of an operator that may be made here, but runs elsewhere alone."""
        if self._run is not None:
            return
        if ":" not in self.func:
            what = f"Custom: {self.func} is a kernel of Ascend devices"
            raise complain(RuntimeError, what, cure="give 'path:name' of a C++ function")
        name = "out_shape" if self.out_shape is None else "out_dtype"
        raise complain(
            ValueError,
            f"Custom: {name} of {self.func} is None",
            expected="a rule in Python: kernels with rules in C++ need MindSpore's headers",
        )

    def _called(self, *inputs):
        """The Python kernel's results as arrays."""
        found = self._run(*[_array(v) for v in inputs])
        if isinstance(found, (tuple, list)):
            return tuple([np.asarray(v) for v in found])
        return np.asarray(found)

    def _filled(self, *inputs):
        """The results of the library's function, which fills them."""
        promised = self._promise(*inputs)
        several = not isinstance(promised[1], type(inputs[0].dtype))
        outs = [np.zeros(s, k.np) for s, k in (promised if several else (promised,))]
        self._run([*map(_array, inputs), *outs])
        return tuple(outs) if several else outs[0]


def _check(func, func_type, out_shape) -> None:
    if func_type in _OTHERS:
        raise complain(
            ValueError,
            f"Custom: func_type is {func_type!r}, a compiler that minds does not have",
            expected=f"one of {_KINDS}",
        )
    if func_type not in _KINDS:
        raise complain(
            ValueError, f"Custom: func_type is {func_type!r}", expected=f"one of {_KINDS}"
        )
    if func_type == "aot":
        _check_library(func, out_shape)
    elif not callable(func):
        raise complain(TypeError, f"Custom: func is {func!r}", expected="a function")
    if func_type == "hybrid" and not isinstance(func, Kernel):
        cure = "decorate it with ops.kernel, or give func_type='pyfunc'"
        raise complain(TypeError, f"Custom: func {func!r} is no kernel", cure=cure)


def _check_library(func, out_shape) -> None:
    """The name of a kernel alone, with a rule in Python, is one of another device."""
    if not isinstance(func, str):
        raise complain(TypeError, f"Custom: 'func' must be of type str, and it is {func!r}")
    if ":" not in func and not callable(out_shape):
        what = "Custom: 'func' should be like 'file_name:func_name'"
        raise complain(TypeError, f"{what}, and it is {func!r}")


def _ruled(rule, of_inputs):
    return rule(*of_inputs) if callable(rule) else rule


def _shape(a) -> tuple:
    return tuple(getattr(a, "shape", ()))


def _array(value) -> np.ndarray:
    return np.ascontiguousarray(value.asnumpy() if hasattr(value, "asnumpy") else value)


def _library_kernel(func: str):
    """A function of arrays, inputs and outputs, that calls the library's."""
    path, _, name = func.rpartition(":")
    if not os.path.exists(path):
        raise complain(ValueError, f"Custom: there is no file {path!r}")
    if path.endswith(_SOURCES):
        path = _compiled(path)
    elif path.endswith(".cu"):
        raise complain(
            ValueError, f"Custom: {path} is CUDA's", cure="build a shared library of it with nvcc"
        )
    try:
        found = getattr(ctypes.CDLL(os.path.abspath(path)), name)
    except (OSError, AttributeError) as e:
        raise complain(ValueError, f"Custom: {path} has no function {name!r}: {e}") from e

    def call(arrays: list) -> None:
        n = len(arrays)
        shapes = [(ctypes.c_int64 * max(a.ndim, 1))(*a.shape) for a in arrays]
        status = found(
            ctypes.c_int(n),
            (ctypes.c_void_p * n)(*[a.ctypes.data for a in arrays]),
            (ctypes.c_int * n)(*[a.ndim for a in arrays]),
            (ctypes.POINTER(ctypes.c_int64) * n)(
                *[ctypes.cast(s, ctypes.POINTER(ctypes.c_int64)) for s in shapes]
            ),
            (ctypes.c_char_p * n)(*[a.dtype.name.encode() for a in arrays]),
            None,
            None,
        )
        if status != 0:
            raise complain(RuntimeError, f"Custom: {func} gave {status}", expected="0, for success")

    return call


def _compiled(path: str) -> str:
    """The shared library of a source, built once in a process for each of its versions."""
    with open(path, "rb") as f:
        key = os.path.abspath(path), f.read()
    if key not in _built:
        if not _folder:
            _folder.append(tempfile.TemporaryDirectory(prefix="minds_custom_"))
        out = os.path.join(_folder[0].name, f"kernel{len(_built)}.so")
        compiler = os.environ.get("CXX", "g++")
        command = [compiler, "-std=c++17", "-O2", "-shared", "-fPIC", "-o", out, path]
        try:
            done = subprocess.run(command, capture_output=True, text=True, check=False)
        except FileNotFoundError as e:
            cure = "install g++, or set CXX to a C++ compiler"
            raise complain(
                RuntimeError, f"Custom: there is no compiler {compiler}", cure=cure
            ) from e
        if done.returncode:
            raise complain(RuntimeError, f"Custom: {path} does not compile:\n{done.stderr[-2000:]}")
        _built[key] = out
    return _built[key]


class PyFunc:
    """A Python function of NumPy arrays as an operator. It has no gradient.

    Args:
        fn (Callable): takes arrays and gives an array, a number, a tuple of them, or nothing.
        in_types (list[dtype]), in_shapes (list[tuple[int]]): dtypes and shapes of the inputs.
        out_types (list[dtype]), out_shapes (list[tuple[int]]): those of the results; without shapes there is
            one number, without dtypes a placeholder of shape (1,).
        stateful (bool): has no effect: it runs once for each call, in program order. Default True.

    Inputs:
        - **inputs** (Tensor, or a tuple of Tensors) - what ``fn`` takes.

    Outputs:
        tuple of Tensors.

    Raises:
        TypeError: ``fn`` is no function.
        ValueError: there are not as many dtypes as shapes.

    Examples:
        >>> from minds.ops.operations import PyFunc
        >>> add = PyFunc(lambda a, b: a + b, [ms.float32] * 2, [(2,)] * 2, [ms.float32], [(2,)])
        >>> print(add(Tensor([1.0, 2.0]), Tensor([3.0, 4.0]))[0])
        [4. 6.]
    """

    def __init__(self, fn, in_types, in_shapes, out_types, out_shapes, stateful=True):
        if not callable(fn):
            raise complain(TypeError, f"PyFunc: fn is {fn!r}", expected="a function")
        given = (
            ("in", in_types, in_shapes),
            ("out", out_types, out_shapes or [()] * len(out_types)),
        )
        for side, types, shapes in given:
            if len(types) != len(shapes):
                what = f"PyFunc: {side}_types has length {len(types)}"
                raise complain(
                    ValueError, what, expected=f"as many as {side}_shapes, {len(shapes)}"
                )
        promised = [(tuple(s), dtype_of(t)) for t, s in zip(out_types, given[1][2], strict=True)]
        promised = promised or [((1,), dtype_of("int32"))]

        def kernel(*inputs):
            found = fn(*map(_array, inputs))
            found = found if out_types else np.zeros(1)
            found = found if isinstance(found, (tuple, list)) else (found,)
            return tuple([np.asarray(v, k.np) for v, (_, k) in zip(found, promised, strict=True)])

        self.fn, self.stateful = fn, stateful
        self._made = host(kernel, tuple(promised))

    def __call__(self, *inputs):
        if len(inputs) == 1 and isinstance(inputs[0], (tuple, list)):
            inputs = inputs[0]
        return self._made(*inputs)


__all__ = ["Custom", "PyFunc"]
