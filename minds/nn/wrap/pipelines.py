"""A network that takes its arguments in micro-batches."""

from __future__ import annotations

from ...base.errors import complain
from ...base.limits import times
from ...base.options import stages
from ...ops.define import P
from ..cell import Cell


def _in_parts(x, count: int):
    """A tensor of samples, with the micro-batches along dimension 1."""
    n = x.shape[0]
    if n % count:
        raise complain(
            ValueError,
            f"PipelineCell: {n} samples for {count} micro-batches",
            expected=f"a multiple of {count}",
        )
    # Every so many-th sample, so that who has a part of the samples has a part of each micro-batch.
    return P.reshape(x, (n // count, count, *x.shape[1:]))


def _share(x, i: int, count: int):
    """Micro-batch ``i`` of an argument."""
    if isinstance(x, type) or not getattr(x, "shape", ()):  # a class may have one for its objects
        return x
    x = _in_parts(x, count)
    size, _, *rest = x.shape
    begin, end = (0, i, *(0 for _ in rest)), (size, i + 1, *rest)
    return P.reshape(P.strided_slice(x, begin, end, (1,) * len(x.shape)), (size, *rest))


def _taken(x, count: int):
    """What a micro-batch has of an argument."""
    if isinstance(x, type) or getattr(x, "shape", None) is None:
        return x
    return P.micro_part(_in_parts(x, count), count) if x.shape else P.micro_same(x, count)


class PipelineCell(Cell):
    """A network whose arguments are cut into micro-batches along dimension 0, of every so many-th sample; the
    results are added up.

    In programs with ``pipeline_stages`` the stages of ``network`` (`Cell.pipeline_stage`) work on different
    micro-batches at the same time.

    Args:
        network (Cell): gives a tensor, such as a network with its loss.
        micro_size (int): how many micro-batches there are.
        stage_config (dict, optional): name of a cell of ``network`` → its stage. Default: None.
        segment_config (dict, optional): accepted. Default: None.

    Inputs:
        - **inputs** (Tensor) - of ``network``; ``micro_size`` divides their first dimensions.

    Outputs:
        Tensor, the sum of what ``network`` gives for the micro-batches.

    Raises:
        TypeError: ``micro_size`` is no int, or ``stage_config`` no dict.
        ValueError: ``micro_size`` is not positive or does not divide the samples, or there is no such cell.

    Examples:
        >>> from minds import nn, ops
        >>> net = nn.PipelineCell(nn.Dense(2, 1, weight_init="ones"), 2)
        >>> net(ops.ones((4, 2))).shape
        (2, 1)
    """

    _marks = True  # passes are micro-batches of a pipeline

    def __init__(self, network, micro_size, stage_config=None, segment_config=None):
        super().__init__(auto_prefix=False)
        if type(micro_size) is not int:
            what = f"{type(self).__name__}: micro_size has type {type(micro_size).__name__}"
            raise complain(TypeError, what, expected="an int")
        if micro_size < 1:
            raise complain(
                ValueError,
                f"{type(self).__name__}: micro_size is {micro_size}",
                expected="at least 1",
            )
        times(micro_size, f"{type(self).__name__}: micro_size")
        if stage_config is not None and not isinstance(stage_config, dict):
            what = f"PipelineCell: stage_config has type {type(stage_config).__name__}"
            raise complain(TypeError, what, expected="a dict")
        self.network, self.micro_size = network, micro_size
        named = dict(network.cells_and_names())
        for name, stage in (stage_config or {}).items():
            if name not in named:
                expected = ", ".join(filter(None, named))
                raise complain(
                    ValueError, f"PipelineCell: there is no cell {name!r}", expected=expected
                )
            named[name].pipeline_stage = stage

    def construct(self, *inputs):
        total = None
        for i in range(self.micro_size):
            out = self.network(*[_share(x, i, self.micro_size) for x in inputs])
            total = out if total is None else P.add(total, out)
        return total

    @property
    def _around_construct(self):
        """What the compiler calls instead of `construct`."""
        return self._emit_once if self._marks and stages() > 1 else self._emit_all

    def _emit_all(self, ip, args, kwargs):
        """The network for each micro-batch."""
        count, total = self.micro_size, None
        for i in range(count):
            out = ip.call(self.network, [ip.native(_share, x, i, count) for x in args], {})
            total = out if total is None else ip.native(P.add, total, out)
        return total

    def _emit_once(self, ip, args, kwargs):
        """The network for a micro-batch that stands for all: stages are divided, and lowered, once."""
        count, held = self.micro_size, ip.parameters
        mine = [ip.native(_taken, x, count) for x in args]
        outside = held.stand_ins
        held.stand_ins = {k: ip.native(P.micro_same, n, count) for k, n in outside.items()}
        out = ip.call(self.network, mine, {})
        held.stand_ins = {k: n for k, n in outside.items() if k not in held.written}
        return ip.native(P.micro_total, out, count)


class MicroBatchInterleaved(PipelineCell):
    """A network whose arguments are cut into parts along dimension 0, of every so many-th sample, so that one
    part is computed while another is sent; the results are added up.

    Args:
        network (Cell): gives a tensor, such as a network with its loss.
        interleave_num (int): how many parts there are. Default: 2.

    Inputs:
        - **inputs** (Tensor) - of ``network``; ``interleave_num`` divides their first dimensions.

    Outputs:
        Tensor, the sum of what ``network`` gives for the parts.

    Raises:
        TypeError: ``interleave_num`` is no int.
        ValueError: it is not positive or does not divide the samples.

    Examples:
        >>> from minds import nn, ops
        >>> net = nn.MicroBatchInterleaved(nn.Dense(2, 1, weight_init="ones"), 2)
        >>> net(ops.ones((4, 2))).shape
        (2, 1)
    """

    _marks = False

    def __init__(self, network, interleave_num=2):
        super().__init__(network, interleave_num)
        self.interleave_num = interleave_num


class GradAccumulation(PipelineCell):
    """A network whose arguments are cut into micro-batches along dimension 0, of every so many-th sample; the
    results, and so the gradients, are added up.

    Args:
        network (Cell): gives a tensor, such as a network with its loss.
        micro_size (int): how many micro-batches there are.

    Inputs:
        - **inputs** (Tensor) - of ``network``; ``micro_size`` divides their first dimensions.

    Outputs:
        Tensor, the sum of what ``network`` gives for the micro-batches.

    Raises:
        TypeError: ``network`` is no Cell, or ``micro_size`` no int.
        ValueError: ``micro_size`` is not positive or does not divide the samples.

    Examples:
        >>> from minds import nn, ops
        >>> net = nn.GradAccumulation(nn.Dense(2, 1, weight_init="ones"), 2)
        >>> net(ops.ones((4, 2))).shape
        (2, 1)
    """

    _marks = False

    def __init__(self, network, micro_size):
        if not isinstance(network, Cell):
            what = f"GradAccumulation: network has type {type(network).__name__}"
            raise complain(TypeError, what, expected="a Cell")
        super().__init__(network, micro_size)


__all__ = ["GradAccumulation", "MicroBatchInterleaved", "PipelineCell"]
