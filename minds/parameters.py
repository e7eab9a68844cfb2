"""Parameters in a tuple, and what is asked of their names."""

from __future__ import annotations

from .base.errors import complain
from .tensor import Parameter, Tensor


def check_names(parameters) -> None:
    """Raise ValueError where two of these parameters have one name, which was given to them."""
    named: dict[str, Parameter] = {}
    for p in parameters:
        if named.setdefault(p.name, p) is not p and p.name != "Parameter":
            raise complain(
                ValueError,
                f"The value {p} , its name {p.name!r} already exists.",
                cure="give one of them another name",
            )


class ParameterTuple(tuple):
    """A tuple of parameters, usually `Cell.trainable_params()`.

    Args:
        iterable (Iterable[Parameter]): the parameters. Default ().

    Raises:
        TypeError: an element is no Parameter.
        ValueError: two of them have one name, which was given to them.

    Examples:
        >>> import minds as ms
        >>> [p.name for p in ms.ParameterTuple([ms.Parameter([1.0], name="w")])]
        ['w']
    """

    __slots__ = ()

    def __new__(cls, iterable=()):
        try:
            items = tuple(iterable)
        except TypeError:
            what = f"ParameterTuple: iterable has type {type(iterable).__name__}"
            raise complain(TypeError, what, expected="Parameters") from None
        for p in items:
            if not isinstance(p, Parameter):
                raise complain(
                    TypeError,
                    f"ParameterTuple: an element has type {type(p).__name__}",
                    expected="Parameters",
                )
        check_names(items)
        return tuple.__new__(cls, items)

    def clone(self, prefix: str, init: str | float = "same") -> ParameterTuple:
        """New parameters, named ``prefix.name``.

        Args:
            prefix (str): stands before each name.
            init (str, number): ``same`` for the same values, ``zeros``, ``ones`` or a number.
                Default ``same``.

        Returns:
            ParameterTuple: the new ones.

        Examples:
            >>> import minds as ms
            >>> made = ms.ParameterTuple([ms.Parameter([1.0], name="w")]).clone("old", "zeros")
            >>> made[0].name, made[0].asnumpy().tolist()
            ('old.w', [0.0])
        """
        made = ParameterTuple(p.clone(init) for p in self)
        for new, old in zip(made, self):
            new.name, new.is_state = f"{prefix}.{old.name}", True
        return made

    def __deepcopy__(self, memo):
        return ParameterTuple(p.__deepcopy__(memo) for p in self)


class Buffer(Tensor):
    """A tensor that becomes a buffer of the `Cell` of which it becomes an attribute.

    Examples:
        >>> import minds as ms
        >>> net = ms.nn.Cell()
        >>> net.count = ms.parameters.Buffer(ms.Tensor([0]))
        >>> [name for name, _ in net.named_buffers()]
        ['count']
    """


_Buffer = Buffer  # MindSpore's name of it

__all__ = ["Buffer", "Parameter", "ParameterTuple", "Tensor", "check_names"]
