"""Layouts as a drawing (SVG): each tensor is a box, cut into what devices hold, with their numbers."""

from __future__ import annotations

from html import escape

from ..base.errors import complain
from ..sharding.layout import Mesh, Sharding
from ..sharding.strategy import Layout

_COLOURS = "#cfe2f3 #fce5cd #d9ead3 #ead1dc #fff2cc #d9d2e9 #d0e0e3 #f4cccc".split()
_SIDE, _GAP, _TOP, _COLUMNS = 132, 28, 40, 3


def layout_picture(layouts: dict) -> str:
    """A drawing of how matrices lie.

    Args:
        layouts (dict[str, Layout]): what stands below each box → its layout, of one or two dimensions.

    Returns:
        str: the text of an SVG file.

    Raises:
        TypeError: a value is no layout of a tensor.
        ValueError: there is none, or one has more than two dimensions.

    Examples:
        >>> from minds.parallel import Layout, layout_picture
        >>> layout = Layout((2, 2), ("dp", "mp"))
        >>> layout_picture({"rows": layout("dp", "None")}).count("<rect")
        3
    """
    op = "layout_picture"
    if not isinstance(layouts, dict) or not layouts:
        raise complain(ValueError, f"{op}: layouts is {layouts!r}", expected="a dict of layouts")
    rows = -(-len(layouts) // _COLUMNS)
    width = min(len(layouts), _COLUMNS) * (_SIDE + _GAP) + _GAP
    height = rows * (_SIDE + _TOP) + _GAP
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
    ]
    for i, (name, layout) in enumerate(layouts.items()):
        if not isinstance(layout, Layout) or layout.tensor_map is None:
            what = f"{op}: layouts has {type(layout).__name__} for {name!r}"
            raise complain(TypeError, what, expected="a Layout that was called")
        dims = layout.tensor_map
        if not 1 <= len(dims) <= 2:
            what = f"{op}: {name!r} has {len(dims)} dimensions"
            raise complain(ValueError, what, expected="one or two")
        left = _GAP + i % _COLUMNS * (_SIDE + _GAP)
        top = _GAP + i // _COLUMNS * (_SIDE + _TOP)
        mesh = Mesh(layout.alias_name, layout.device_matrix)
        lines += _box(mesh, Sharding(dims if len(dims) == 2 else ((), *dims)), left, top)
        lines.append(f'<text x="{left}" y="{top + _SIDE + 16}">{escape(name)}</text>')
    return "\n".join([*lines, "</svg>"]) + "\n"


def _box(mesh: Mesh, layout: Sharding, left: int, top: int) -> list[str]:
    """A tensor, by its parts."""
    counts = [layout.parts(mesh, d) for d in range(2)]
    holders: dict[tuple, list] = {}
    for rank in range(mesh.size):
        at = tuple([s.start for s in layout.part(mesh, tuple(counts), rank)])
        holders.setdefault(at, []).append(rank)
    high, wide = [_SIDE / n for n in counts]
    found = []
    for (row, column), ranks in sorted(holders.items()):
        x, y = left + column * wide, top + row * high
        found.append(
            f'<rect x="{x:.1f}" y="{y:.1f}" width="{wide:.1f}" height="{high:.1f}" '
            f'fill="{_COLOURS[ranks[0] % len(_COLOURS)]}" stroke="#555"/>'
        )
        found.append(
            f'<text x="{x + wide / 2:.1f}" y="{y + high / 2 + 4:.1f}" text-anchor="middle">'
            f"{' '.join(map(str, ranks))}</text>"
        )
    return found


__all__ = ["layout_picture"]
