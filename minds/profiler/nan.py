"""`find_nan`: which line was the first to give a NaN."""

from __future__ import annotations

from ..lower import watch


class find_nan:
    """A region in which the first kernel whose result holds a NaN is an error that names its line, in
    compiled programs and in eager calls, in gradients too. The error also says whether an operand held
    one already. Each result is looked at, so it is for searching.

    Raises:
        RuntimeError: a kernel gave a NaN.

    Examples:
        >>> import minds as ms
        >>> from minds import ops
        >>> with ms.find_nan():
        ...     try:
        ...         ops.log(ms.Tensor([-1.0]))
        ...     except RuntimeError as e:
        ...         print(str(e).splitlines()[0])
        log: the result holds NaN, and no operand does
    """

    def __enter__(self) -> find_nan:
        watch.expect_no_nan(1)
        return self

    def __exit__(self, *error) -> None:
        watch.expect_no_nan(-1)


__all__ = ["find_nan"]
