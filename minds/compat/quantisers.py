"""`_quant_ops`: what quantising a network puts into it."""

from __future__ import annotations

from ..base.errors import complain
from ..ops import operations
from ..ops.primitive import Primitive


class FakeQuantParam(Primitive):
    """The identity, whose attributes say how a tensor was quantised: for programs that are exported.

    Args:
        quant_dtype (QuantDtype): what the numbers are quantised to.
        quant_algo_name (str): a name for how.
        is_per_channel (bool): whether each channel has parameters of its own.
        kwargs (Any): the parameters.

    Inputs:
        - **input_x** (Tensor) - anything.

    Outputs:
        Tensor, the same.

    Examples:
        >>> import minds as ms
        >>> from minds.ops.operations._quant_ops import FakeQuantParam
        >>> op = FakeQuantParam.linear_quant_param(ms.QuantDtype.INT8, 0.5, 1)
        >>> print(op(ms.Tensor([0.3])), op.attrs["linear_quant_scale"])
        [0.3] [0.5]
    """

    attr_key_linear_quant_scale = "linear_quant_scale"
    attr_key_linear_quant_zero_point = "linear_quant_zero_point"
    attr_value_linear_quant_algo_name = "linear_quant_algo"

    def __init__(self, quant_dtype, quant_algo_name: str, is_per_channel: bool, **kwargs):
        super().__init__(type(self).__name__)
        self.add_prim_attr("quant_algo_name", quant_algo_name)
        self.add_prim_attr("is_per_channel", is_per_channel)
        self.add_prim_attr("quant_dtype", quant_dtype.value())
        for name, value in kwargs.items():
            self.add_prim_attr(name, value)

    @classmethod
    def linear_quant_param(cls, quant_dtype, scale, zp, is_per_channel: bool = False, **kwargs):
        """One of the form that is linear: scales and zero points.

        Args:
            quant_dtype (QuantDtype): what the numbers are quantised to.
            scale (float, tuple, list): the scales.
            zp (int, tuple, list): the zero points, as many.
            is_per_channel (bool): whether there is one for each channel. Default: False.
            kwargs (Any): more parameters.

        Returns:
            FakeQuantParam: it.

        Raises:
            TypeError: ``scale`` or ``zp`` is of another type.
            ValueError: there are not as many zero points as scales, or several where one is meant.

        Examples:
            >>> import minds as ms
            >>> from minds.ops.operations._quant_ops import FakeQuantParam
            >>> op = FakeQuantParam.linear_quant_param(ms.QuantDtype.INT8, (0.5, 1.0), (1, 2), True)
            >>> op.attrs["linear_quant_zero_point"]
            [1, 2]
        """
        scales, points = _several("scale", scale, float), _several("zp", zp, int)
        if len(scales) != len(points) or len(scales) != 1 and not is_per_channel:
            raise complain(
                ValueError,
                f"FakeQuantParam: {len(scales)} scales and {len(points)} zero points",
                expected="as many of both" if is_per_channel else "one of each",
            )
        named = {
            cls.attr_key_linear_quant_scale: scales,
            cls.attr_key_linear_quant_zero_point: points,
        }
        algorithm = cls.attr_value_linear_quant_algo_name
        return cls(quant_dtype, algorithm, is_per_channel, **named, **kwargs)

    def __call__(self, input_x):
        return input_x

    def _emit(self, ip, args, kwargs):
        return args[0]


def _several(name: str, value, kind: type) -> list:
    if isinstance(value, bool) or not isinstance(value, (kind, tuple, list)):
        raise complain(
            TypeError,
            f"FakeQuantParam: {name} has type {type(value).__name__}",
            expected=f"a {kind.__name__}, or a tuple or list of them",
        )
    return list(value) if isinstance(value, (tuple, list)) else [value]


def __getattr__(name: str):
    return getattr(operations, name)


__all__ = ["FakeQuantParam"]
