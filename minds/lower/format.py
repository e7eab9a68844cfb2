"""The program format and the instruction set, as the core states them.

csrc/runtime/program.h numbers the opcodes; the instructions on words and the functions of Python's
numbers are made from the one list of elementwise ops, csrc/kernel/elementwise.h.
"""

from __future__ import annotations

from .. import _core
from ..base.dtype import DType, from_code

_FORMAT = _core.program_format()
MAGIC, VERSION = _FORMAT["magic"], _FORMAT["version"]
WORD_BYTES = _FORMAT["word_bytes"]
UNIT = _FORMAT["unit"]
"""Bytes; the granularity of arena offsets."""
TILE_VALUES = _FORMAT["tile_values"]
"""Inputs and steps of one fused kernel."""

OPCODES = tuple(_FORMAT["opcodes"])
RUN = OPCODES.index("RUN")
COPY = OPCODES.index("COPY")
CALL = OPCODES.index("CALL")
TAIL = OPCODES.index("TAIL")
SWITCH = OPCODES.index("SWITCH")
SWITCH_TAIL = OPCODES.index("SWITCH_TAIL")
CALL_VALUE = OPCODES.index("CALL_VALUE")
TAIL_VALUE = OPCODES.index("TAIL_VALUE")
SELECT = OPCODES.index("SELECT")
CLOSURE = OPCODES.index("CLOSURE")
PARTIAL = OPCODES.index("PARTIAL")
LOAD = OPCODES.index("LOAD")
ASSIGN = OPCODES.index("ASSIGN")
DROP = OPCODES.index("DROP")
HOST = OPCODES.index("HOST")
RETURN = OPCODES.index("RETURN")
UPLOAD = OPCODES.index("UPLOAD")
DOWNLOAD = OPCODES.index("DOWNLOAD")
WAIT = OPCODES.index("WAIT")
SIGNAL = OPCODES.index("SIGNAL")
SAVE = OPCODES.index("SAVE")
ARRIVE = OPCODES.index("ARRIVE")
AWAY = _FORMAT["away"]
"""Added to a type's kind: its values are in memory that the device does not share with the host."""
SCALAR = _FORMAT["scalar_base"]
"""Opcodes from here on are the instructions on words."""
LEAVING = frozenset((TAIL, SWITCH_TAIL, TAIL_VALUE, RETURN))

# Places of operands, as csrc/runtime/program.h numbers them.
IN_WORD, IN_OBJECT, MOVED, IN_ARENA, IN_CONSTANT, IN_FUNCTION, FROM_POOL, IN_PARAM = range(8)

Form = tuple[str, DType, DType]
"""(kernel, dtype of the operands, dtype of the result)."""

SCALARS: dict[Form, int] = {}
"""The instructions on words that do what a kernel does."""
CHECKED: dict[Form, int] = {}
"""Those that Python's numbers take instead, with CPython's errors."""
SCALAR_TEXT: dict[int, tuple[str, int]] = {}
"""Name and number of operands of each."""
for _number, _kernel, _operands, _in, _out, _checked in _core.scalar_forms():
    _form = (_kernel, from_code(_in), from_code(_out))
    (CHECKED if _checked else SCALARS)[_form] = _number
    _types = _form[1:] if _kernel == "cast" else _form[1:2]
    _words = ["checked"] * _checked + [_kernel, *[t.name for t in _types]]
    SCALAR_TEXT[_number] = "_".join(_words), _operands

FAILING = frozenset(CHECKED.values())
"""The instructions on words that can fail."""

NUMBER_FORMS = frozenset((k, from_code(i), from_code(o)) for k, i, o in _core.number_forms())
"""What the kernel `python_number` computes for Python's numbers."""

OPERANDS = {name: count for name, count, _, _ in _core.elementwise()} | {"select": 3, "cast": 1}
"""How many operands the steps of a fused kernel take."""

REFUSING = frozenset(name for name, _, _, refuses in _core.elementwise() if refuses)
"""Elementwise kernels that fail on some integers, when they run."""
