"""Shapes as primitives that users write compute them: ``mindspore.ops._utils``."""

from __future__ import annotations

from ..base.errors import complain


def get_broadcast_shape(x_shape, y_shape, prim_name, arg_name1="x", arg_name2="y"):
    """The shape that two shapes broadcast to, as a list.

    Args:
        x_shape (list[int]): the first shape; -1 is an unknown size, ``[-2]`` an unknown rank.
        y_shape (list[int]): the second shape.
        prim_name (str): whose operands these are, for the message.
        arg_name1 (str): the first operand's name. Default: ``"x"``.
        arg_name2 (str): the second operand's name. Default: ``"y"``.

    Returns:
        list[int]: the broadcast shape; ``x_shape`` itself where both are equal.

    Raises:
        ValueError: two known sizes differ and neither is 1.

    Examples:
        >>> from minds.compat import op_utils
        >>> op_utils.get_broadcast_shape([3, 1], [2], "Add")
        [3, 2]
    """
    if x_shape == y_shape:
        return x_shape
    if -2 in x_shape or -2 in y_shape:
        return [-2]
    rank = max(len(x_shape), len(y_shape))
    first, second = ([1] * (rank - len(s)) + list(s) for s in (x_shape, y_shape))
    return [
        _joined(pair, (x_shape, y_shape), prim_name, (arg_name1, arg_name2))
        for pair in zip(first, second, strict=True)
    ]


def _joined(pair, shapes, prim_name, names):
    one, other = pair
    if 1 in pair:
        return other if one == 1 else one
    if one == other or -1 in pair:
        return max(pair)
    raise complain(
        ValueError,
        f"{prim_name}: {names[0]}.shape is {list(shapes[0])}, {names[1]}.shape {list(shapes[1])}",
        expected="sizes that are equal, or 1",
    )


__all__ = ["get_broadcast_shape"]
