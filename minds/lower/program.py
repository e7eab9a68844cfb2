"""Lowering as a whole, and the program as something to call and to read.

``lower(graph)`` legalises the graph, writes the program, loads it (which prepares its kernels) and
returns an `Executable`.
"""

from __future__ import annotations

import weakref
from typing import NamedTuple

from .. import _core
from ..base import dtype as dt
from ..base.boundary import explained
from ..base.errors import class_told, complain, locate, named, placed
from ..base.loc import Loc
from ..ir.abstract import AbstractRef, AbstractScalar
from ..ir.fault import attributed
from ..ir.node import Constant, Graph
from ..ops.define import ATTR, TENSORS, is_of_library
from ..tensor import Tensor
from .bundle import bundle
from .collect import collect
from .disassemble import disassemble
from .dynamic_regions import DYNAMIC_REGION, cut
from .encode import encode
from .endings import add_endings
from .epilogue import add_epilogues
from .flops import flops
from .format import DOWNLOAD, OPCODES, SAVE, TILE_VALUES, UNIT, UPLOAD
from .fuse import fuse
from .hoist import hoist
from .kernels import device_traits, has_kernel
from .lanes import schedule
from .legalise import legalise, reachable
from .limit import beside, fitted
from .linearize import LinearIR, describe
from .memory import plan
from .narrow import narrow_norms
from .place import Placement
from .placed import PlacedLinearizer
from .rotate import rotate
from .select import leaves
from .watch import ALIVE


def lower(graph: Graph, options=None, finds: bool = False) -> Executable:
    """Make a program of a closed, typed graph and load it.

    Args:
        graph (Graph): the root; its parameters are tensors, scalars and references.
        options (Options | None): says on which device it runs.
        finds (bool): the run finds sizes that shapes depend on.

    Returns:
        Executable: the loaded program.

    Raises:
        TypeError: an op has no kernel for its operands, or the root takes or returns a function.
        ValueError: a kernel refuses its operands.
    """
    return lowered(graph, options, finds)[1]


def lowered(graph: Graph, options=None, finds: bool = False) -> tuple[LinearIR, Executable]:
    """The planned program of a graph, and what `lower` gives."""
    with attributed("when the program was lowered", graph):
        made = _legal(graph, options, finds)
        planned = made.plan(made.linear())
        found = made.load(planned)
        limit, pool = (getattr(options, name, None) for name in ("memory_limit", "pool_limit"))
        if limit is None and pool is None:
            return planned, found
        return made.within(limit, pool, planned, found)


def planned(graph: Graph, options=None) -> LinearIR:
    """The program of a graph with places for its values, not loaded: its processes need not be there."""
    with attributed("when the program was lowered", graph):
        made = _legal(graph, options, False)
        return made.plan(made.linear())


def _legal(graph: Graph, options, finds: bool) -> _Lowering:
    device, on_host = getattr(options, "device", "cpu"), set()
    _check_root(graph)
    if finds:
        cut(reachable(graph), lambda work: lower(work, options))
    else:
        hoist(graph)
        collect(graph)
        rotate(graph)
    legalise(graph, device, on_host, getattr(options, "host_fallback", False))
    return _Lowering(graph, options, device, device_traits(device), on_host)


class _Lowering:
    """A legal graph on its way to a program for a device."""

    def __init__(self, graph: Graph, options, device: str, traits: dict, on_host: set):
        self.graph, self.device, self.traits, self.on_host = graph, device, traits, on_host
        self.tf32 = getattr(options, "tf32", ())
        self.at = () if traits["host_memory"] else (device, getattr(options, "device_id", 0))

    def linear(self) -> LinearIR:
        """Its instructions, with fused kernels."""
        graph, traits, device = self.graph, self.traits, self.device
        if traits["host_memory"]:
            program = LinearIR(graph)
        else:
            placement = Placement(device, traits, graph, reachable(graph), self.on_host)
            program = LinearIR(graph, PlacedLinearizer, placement, self.tf32)
        if traits["fuses"]:
            if has_kernel("batch_norm_narrow", device, dt.bfloat16):
                narrow_norms(program, lambda name, t: has_kernel(name, device, t))
            if has_kernel("batch_norm_ending", device, dt.float32):
                add_endings(program, lambda name, t: has_kernel(name, device, t))
            fuse(program, min(traits["tile_values"] or TILE_VALUES, TILE_VALUES))
            if has_kernel("matmul_bias", device, dt.float32):
                add_epilogues(program, lambda t: has_kernel("matmul_bias", device, t))
            if has_kernel("tiles", device, dt.float32):
                bundle(program)
        return program

    def plan(self, program: LinearIR) -> LinearIR:
        """The same with places for its values."""
        plan(program, self.traits["alignment"])
        return program

    def load(self, program: LinearIR) -> Executable:
        """The same with lanes, loaded."""
        if self.traits["lanes"] > 1:
            schedule(program)
        return Executable(program, encode(program, self.device), self.at)

    def within(self, limit, pool, planned: LinearIR, found: Executable):
        """``planned`` and ``found``, which is it loaded, or a program that does the same in ``limit``
        bytes, and in what others leave it of ``pool`` bytes. Both may be None.
        """
        limits = [] if limit is None else [limit]
        if pool is not None:
            limits.append(pool - beside(planned, _core.device(*(self.at or ("cpu",)))))
        workspace = found.native.workspace
        program = fitted(self.linear, self.plan, planned, min(limits), workspace, self.traits)
        found = found if program is planned else self.load(program)
        return program, found if pool is None else found.limit(memory=pool)


def _check_root(graph: Graph) -> None:
    for name, a in [(p.name, p.abstract) for p in graph.params] + [
        ("the result", graph.output.abstract)
    ]:
        if not all(hasattr(leaf, "dtype") for leaf in leaves(a)):
            raise complain(
                TypeError,
                f"{graph.name}: {name} is a function",
                loc=graph.loc,
                expected="tensors, numbers, tuples of them, or None",
                cure="call it inside the program",
            )


class RecursionLimit(RecursionError, MemoryError):
    """Calls nest so deeply that their frames exceed the limit of `Executable.limit`."""


class Transfer(NamedTuple):
    """A copy in a program: "UPLOAD" or "DOWNLOAD", the type of the value, and the line that needs it
    there.
    """

    kind: str
    type: str
    loc: Loc | None


ATTRIBUTES = (
    *("code", "name", "inputs", "params", "results", "arena_bytes"),
    *("places", "flops", "instructions"),
)
"""What an `Executable` is beside its constants and what it calls."""


class Executable:
    """A loaded program.

    Attributes:
        code (bytes): the program.
        name (str): of the root.
        places (list): what `describe` says of each instruction.
        flops (dict): by instruction, its operations of floating point where it is a large product.
        inputs, results: abstract values of the arrays that a call takes and gives, tuples
            flattened.
        params: abstract values of the bound parameters.
        transfers (list[Transfer]): what goes between the device and the host in each run.
        instructions (int): how many there are.
        arena_bytes (int): the arena of the root's frame.
        constants (list[_core.Array]): tensors that it has; ``callbacks`` functions of Python.
    """

    def __init__(self, program: LinearIR, code: bytes, device: tuple = ()):
        root, tables = program.functions[0], program.tables
        leaf = [a for p in root.graph.params for a in leaves(p.abstract)]
        self.code, self.name = code, root.graph.name
        self.inputs = [a for a in leaf if not isinstance(a, AbstractRef)]
        self.params = [a for a in leaf if isinstance(a, AbstractRef)]
        self.results = leaves(root.graph.output.abstract)
        self.arena_bytes = root.arena * UNIT
        self.places = [describe(i) for f in program.functions for i in f.code]
        counts = enumerate(flops(i.node) for f in program.functions for i in f.code)
        self.flops = {at: count for at, count in counts if count}
        self.instructions = len(self.places)
        self.transfers = [
            Transfer(
                OPCODES[i.op], repr(program.tables.type_list[i.type]), i.node.loc or f.graph.loc
            )
            for f in program.functions
            for i in f.code
            if i.op in (UPLOAD, DOWNLOAD, SAVE)
        ]
        # The core holds them by this object, since what it holds itself the collector of cycles
        # does not see.
        self.callbacks = [_host(n) for n in tables.callbacks]
        self._load([c._array for c in tables.constants], device)

    @classmethod
    def stored(cls, constants: list, **attributes) -> Executable:
        """A program of the host, without callbacks, that has the `ATTRIBUTES` of one that was loaded
        before.
        """
        made = object.__new__(cls)
        made.transfers, made.callbacks = [], []
        for name in ATTRIBUTES:
            setattr(made, name, attributes[name])
        made._load(constants, ())
        return made

    def _load(self, constants: list, device: tuple) -> None:
        me, self.constants = weakref.ref(self), constants
        called = [lambda arrays, i=i: me().callbacks[i](arrays) for i in range(len(self.callbacks))]
        try:
            self._program = _core.Program(self.code, called, constants, *device)
        except Exception as e:
            raise self._located(e) from None
        ALIVE[self._program.number] = self
        self._program.explain = lambda e: e if me() is None else me()._located(e)

    native = property(lambda self: self._program)

    def bind(self, params: list) -> Executable:
        """Give the program its parameters: one `_core.Array` per reference parameter of the
        root.
        """
        self._program.bind(params)
        return self

    def limit(self, stack: int | None = None, memory: int | None = None) -> Executable:
        """Bound what a run may take, in bytes.

        Args:
            stack (int): frames of nested calls; their arenas have the same bound. Default: an
                eighth of the machine's memory, at most 1 GiB.
            memory (int): all tensors of the process. Default: seven eighths of the machine's
                memory.
        """
        if stack is not None:
            self._program.stack_limit = stack
        if memory is not None:
            self._program.memory_limit = memory
        return self

    def __call__(self, arrays: list) -> list:
        """Run: a list of `_core.Array` in, one out.

        Raises:
            TypeError: an array has another shape or dtype than the program was compiled for.
            RecursionLimit: calls nest too deeply.
            ValueError, IndexError, MemoryError, RuntimeError: an op failed; the message names op
                and line.
        """
        try:
            return self._program(arrays)
        except _core.Error as e:
            raise self._located(e) from None

    def sink(self, feed, rest: list) -> tuple[list, int]:
        """Run for each batch of a `_core.Feed`, until it ends: the last results, and how many runs
        there were. It raises what a call raises.
        """
        try:
            return self._program.sink(feed, rest, 1 << 62)
        except _core.Error as e:
            raise self._located(e) from None

    def _located(self, error: Exception) -> Exception:
        """``error`` as the user should see it: the builtin class, the op's name, the place, the
        operands.
        """
        at = getattr(error, "instruction", None)
        if not isinstance(error, _core.Error):
            return error
        kind = class_told(error)
        if kind is MemoryError and str(error).startswith("recursion"):
            kind = RecursionLimit
        loc, name, operands = self.places[at] if at is not None else (None, None, ())
        if "division by zero" in str(error) and all(
            isinstance(a, AbstractScalar) for _, a in operands
        ):
            kind = ZeroDivisionError
        shown = [(n, repr(a)) for n, a in operands if a is not None]
        located = complain(kind, f"{name}: {error}" if name else str(error))
        located.complaint.kernel = at is not None and not issubclass(kind, MemoryError)
        return locate(located, loc, shown)

    def text(self) -> str:
        """The program as text: functions with their frames, instructions with the places of
        operands; and what goes between the device and the host, with the user's lines.
        """
        lines = [*disassemble(self.code)]
        if self.transfers:
            lines += ["", "between the device and the host, which waits for each download:"]
            lines += [f"  {t.kind} {t.type}  {t.loc or ''}".rstrip() for t in self.transfers]
        return "\n".join(lines) + "\n"


def _host(n):
    """A callback for an op whose kernel is a Python function: arrays in, arrays out."""
    op, results = n.fn, leaves(n.abstract)
    if op is DYNAMIC_REGION:
        return n.args[1].value
    shape = [
        (k, len(leaves(a.abstract)), a.value if type(a) is Constant else None)
        for a, k in zip(n.args, op.kinds, strict=True)
    ]

    def call(arrays: list) -> list:
        tensors, params = iter(map(Tensor._wrap, arrays)), []
        for kind, count, value in shape:
            if kind == TENSORS:
                params.append(tuple(next(tensors) for _ in range(count)))
            elif kind == ATTR or count == 0:
                params.append(value)
            else:
                params.append(next(tensors).asnumpy())
        try:
            raw = op.host(*params)
            raw = () if not results else raw if len(results) > 1 else (raw,)
            return [_result(op, r, a) for r, a in zip(raw, results, strict=True)]
        except Exception as e:
            name = op.name.strip("_")
            if op.has_effect or not is_of_library(op):  # what a function of the user's has raised
                error = e
            elif hasattr(e, "complaint"):
                error = named(e, name)
            else:
                error = named(explained(e, name, op, params, {}, op.__doc__), name)
            raise placed(error, n.loc) from error.__cause__

    return call


def _result(op, value, a) -> _core.Array:
    t = Tensor(value, a.dtype)
    if len(t.shape) != len(a.shape) or any(
        type(d) is int and d != k for d, k in zip(a.shape, t.shape)
    ):
        raise complain(
            ValueError, f"{op.name}: its kernel returned shape {t.shape}, inferred is {a.shape}"
        )
    return t._array
