"""Primitive classes of sequences: tuples, lists and what they are made of, as MindSpore's compiler calls
them. In minds they are Python's own operations, of known and of varying elements alike.
"""

from __future__ import annotations

import builtins

from ...tensor import Parameter, Tensor
from ..define import P
from ..faces import primitive
from ..function.common import as_tensor, number_of
from ..functional import WITHIN as F


@primitive(name="TupleToTensor ListToTensor", inner=True)
def _to_tensor():
    """A tensor of the numbers of a sequence."""

    def call(sequence, dtype=None):
        made = as_tensor(list(sequence))
        return made if dtype is None else P.cast(made, dtype)

    return call


def _numbers(x) -> list:
    if isinstance(x, Tensor) and not isinstance(x, Parameter):
        return x.tolist()
    return [number_of(F.gather(x, i, 0)) for i in range(x.shape[0])]


@primitive(inner=True)
def TensorToTuple():
    """The elements of a tensor of rank 1 as numbers in a tuple."""
    return lambda input_tensor: tuple(_numbers(input_tensor))


@primitive(inner=True)
def TensorToList():
    """The elements of a tensor of rank 1 as numbers in a list."""
    return lambda input_tensor: _numbers(input_tensor)


@primitive(inner=True)
def TensorToScalar():
    """The element of a tensor of one as a number."""
    return lambda input_tensor: number_of(input_tensor)


@primitive(inner=True)
def SequenceCount():
    """How many elements of a sequence equal ``target``."""
    return lambda sequence, target: sequence.count(target)


@primitive(inner=True)
def SequenceIndex():
    """The place of the first element from ``start`` to ``end`` that equals ``target``."""
    return lambda sequence, target, start=0, end=9223372036854775807: sequence.index(
        target, start, end
    )


@primitive(inner=True)
def SequenceAdd():
    """Two sequences, one behind the other."""
    return lambda input_1, input_2: input_1 + input_2


@primitive(inner=True)
def SequenceMul():
    """A sequence, several times."""
    return lambda sequence, scalar: sequence * scalar


@primitive(inner=True)
def SequenceSlice():
    """The elements from ``start`` to before ``stop``, ``step`` apart."""
    return lambda seq, start, stop, step: seq[start:stop:step]


@primitive(inner=True)
def SequenceMax():
    """The largest element."""
    return lambda sequence: builtins.max(sequence)


@primitive(inner=True)
def SequenceMin():
    """The smallest element."""
    return lambda sequence: builtins.min(sequence)


@primitive(inner=True)
def InSequence():
    """Whether an element is in a sequence."""
    return lambda element, input_data: element in input_data


@primitive(inner=True)
def SequenceStack(axis=0):
    """The tensors of a sequence along a new dimension."""
    return lambda input_x: F.stack(tuple(input_x), axis)


@primitive(inner=True)
def SequenceUnstack(axis=0):
    """The tensors along a dimension."""
    return lambda input_x: F.unstack(input_x, axis)


@primitive(inner=True)
def SequenceAddN():
    """The sum of the tensors of a sequence."""
    return lambda inputs: F.addn(tuple(inputs))


@primitive(inner=True)
def SequenceZerosLike():
    """Zeros like each element."""
    return lambda sequence: type(sequence)(
        [F.zeros_like(x) if hasattr(x, "dtype") else 0 * x for x in sequence]
    )


@primitive(inner=True)
def ListAppend():
    """A list with one more element."""
    return lambda input_data, target: [*input_data, target]


@primitive(inner=True)
def ListInsert():
    """A list with an element before that at ``index``."""
    return lambda input_data, index, target: [*input_data[:index], target, *input_data[index:]]


@primitive(inner=True)
def ConvertToDynamic(is_dynamic_rank=False):
    """The operand: compiled programs take any size where they are asked to.

    Args:
        is_dynamic_rank (bool): has no effect.
    """
    return lambda input: input


@primitive(inner=True)
def DynamicBroadcastTo():
    """``x`` in a shape that is given as a tensor or as numbers."""
    return lambda x, shape: F.broadcast_to(
        x, shape if isinstance(shape, (tuple, list)) else tuple([int(n) for n in shape])
    )


@primitive(inner=True)
def ScalarToArray():
    """A number as a tensor."""
    return lambda input_scalar: as_tensor(input_scalar)
