"""Networks whose weights are int8, for inference."""

from __future__ import annotations

from .. import nn
from ..base.errors import complain


def quantize(network, skip=()):
    """Give a network int8 weights, for inference: a quarter of the memory, and faster products.

    `nn.Dense` and `nn.Conv2d` of one group become `nn.QuantizedDense` and `nn.QuantizedConv2d`:
    weights have one scale for each output, and are rounded to 8 bits; activations are rounded to 8
    bits as they come, each row or image by its own range, so no calibration is needed. All other
    cells stay as they are, subclasses with a ``construct`` of their own too. Parameters keep their
    names, and beside each ``weight`` and ``bias`` stands a ``scale``: a checkpoint of a quantised
    network is loaded into one that was built and quantised alike. None of them is trained;
    gradients pass such a layer as if it had not rounded what it was given.

    Args:
        network (Cell): it is changed.
        skip (tuple[str], list[str]): names of cells that stay as they are, with all that is below
            them, as `Cell.cells_and_names` gives them. Default: none.

    Returns:
        Cell: the network; where it is itself such a layer, the new one.

    Raises:
        TypeError: ``network`` is no Cell, or ``skip`` holds no strings.
        ValueError: a name in ``skip`` is not that of a cell, or a weight is not finite.

    Examples:
        >>> import minds as ms
        >>> from minds import nn
        >>> net = nn.SequentialCell(nn.Dense(8, 16), nn.ReLU(), nn.Dense(16, 2))
        >>> net = ms.quantize(net, skip=["2"])
        >>> net[0].weight.dtype, net[2].weight.dtype
        (Int8, Float32)
    """
    if not isinstance(network, nn.Cell):
        raise complain(
            TypeError,
            f"quantize: network has type {type(network).__name__}",
            expected="a Cell",
        )
    skip = _names(network, skip)
    made: dict = {}
    _below(network, "", skip, made)
    return made.get(network) or _quantized(network) or network


def _names(network, skip) -> frozenset:
    if not isinstance(skip, (tuple, list)) or not all(isinstance(n, str) for n in skip):
        raise complain(
            TypeError, f"quantize: skip is {skip!r}", expected="a tuple of names of cells"
        )
    unknown = set(skip) - {name for name, _ in network.cells_and_names()}
    if unknown:
        raise complain(
            ValueError,
            f"quantize: there is no cell {', '.join(map(repr, sorted(unknown)))}",
            cure="take names that cells_and_names() gives",
        )
    return frozenset(skip)


def _below(cell, name: str, skip: frozenset, made: dict) -> None:
    """Put quantised layers in the place of those below ``cell``; what stands in several places
    becomes one.
    """
    for key, child in cell.name_cells().items():
        path = f"{name}.{key}" if name else key
        if child is None or path in skip:
            continue
        if child not in made:
            made[child] = _quantized(child)
            if made[child] is None:
                _below(child, path, skip, made)
        if made[child] is not None:
            cell._replace_cell(key, made[child])


def _quantized(cell):
    """The quantised layer that stands for ``cell``, or None."""
    if type(cell).construct is nn.Dense.construct:
        return nn.QuantizedDense(cell)
    plain = type(cell).construct is nn.Conv2d.construct or (
        getattr(cell, "padding_mode", "") == "zeros" and "construct" not in vars(type(cell))
    )
    if isinstance(cell, nn.Conv2d) and plain and cell.group == 1 and cell.data_format == "NCHW":
        return nn.QuantizedConv2d(cell)
    return None


__all__ = ["quantize"]
