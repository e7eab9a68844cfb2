"""A program as a drawing: one panel per graph, applies in layers by their longest path, edges from
operands to users.

The layout is our own: layers from one sweep in program order, places within a layer by four sweeps
of mean neighbour position.
"""

from __future__ import annotations

from html import escape

from ..ir import prim
from ..ir.abstract import AbstractRef
from ..ir.node import Apply, Constant, Graph, Node
from ..ir.text import Names, type_text, value_text

_GAP_X, _GAP_Y, _HEIGHT, _CHAR, _MARGIN = 14, 34, 34, 6.6, 20
_COLORS = {
    "param": "#dbeafe",
    "ref": "#fde68a",
    "op": "#f1f5f9",
    "structure": "#e9e5f5",
    "call": "#d1fae5",
    "effect": "#fecaca",
    "result": "#e2e8f0",
}
_STYLE = (
    "text{font:11px ui-monospace,Menlo,Consolas,monospace;fill:#0f172a} "
    ".t{fill:#64748b;font-size:9px} "
    ".g{font-size:13px;font-weight:bold} rect{stroke:#94a3b8} path{fill:none;stroke:#94a3b8}"
)


class _Box:
    """A node's place in its panel."""

    __slots__ = ("label", "kind", "type", "title", "width", "layer", "x", "y")

    def __init__(self, label: str, kind: str, type_: str, title: str, layer: int):
        self.label, self.kind, self.type, self.title, self.layer = label, kind, type_, title, layer
        self.width = max(len(label) * _CHAR, len(type_) * _CHAR * 0.82) + 16
        self.x = self.y = 0.0


def svg(root: Graph) -> str:
    """The drawing of ``root`` and everything reachable from it, as SVG text."""
    names = Names(root)
    parts, y, width = [], float(_MARGIN), 200.0
    for g in names.graphs:
        body, w, h = _panel(g, names)
        parts.append(f'<g transform="translate({_MARGIN},{y:.0f})">{body}</g>')
        y, width = y + h + 2 * _MARGIN, max(width, w)
    width += 2 * _MARGIN
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width:.0f}" height="{y:.0f}" '
        f'viewBox="0 0 {width:.0f} {y:.0f}"><style>{_STYLE}</style>'
        '<defs><marker id="a" viewBox="0 0 6 6" refX="6" refY="3" markerWidth="6" markerHeight="6" '
        'orient="auto">'
        '<path d="M0 0L6 3L0 6z" style="fill:#94a3b8;stroke:none"/></marker></defs>'
        f'<rect width="100%" height="100%" style="fill:#fff;stroke:none"/>{"".join(parts)}</svg>\n'
    )


def _panel(g: Graph, names: Names) -> tuple[str, float, float]:
    boxes = _boxes(g, names)
    layers: dict[int, list] = {}
    for node, box in boxes.items():
        layers.setdefault(box.layer, []).append(node)
    _place(layers, boxes)
    width = max((b.x + b.width for b in boxes.values()), default=0)
    shift = 26
    out = [f'<text class="g" x="0" y="12">{escape(names.of[g])}</text>']
    for n in (*g, g.ret):
        for a in dict.fromkeys(n.operands):
            if a in boxes:
                out.append(_edge(boxes[a], boxes[n], shift))
    for b in boxes.values():
        out.append(
            f'<g><title>{escape(b.title)}</title><rect x="{b.x:.1f}" y="{b.y + shift:.1f}" rx="5" '
            f'width="{b.width:.1f}" height="{_HEIGHT}" fill="{_COLORS[b.kind]}"/>'
            f'<text x="{b.x + 8:.1f}" y="{b.y + shift + 14:.1f}">{escape(b.label)}</text>'
            f'<text class="t" x="{b.x + 8:.1f}" y="{b.y + shift + 27:.1f}">{escape(b.type)}</text></g>'
        )
    return "".join(out), width, shift + (max(layers, default=0) + 1) * (_HEIGHT + _GAP_Y)


def _boxes(g: Graph, names: Names) -> dict[Node, _Box]:
    """A box per param, apply and result, with its layer."""
    boxes: dict[Node, _Box] = {}
    for p in g.params:
        kind = "ref" if isinstance(p.abstract, AbstractRef) else "param"
        boxes[p] = _Box(names.of[p], kind, type_text(p.abstract), str(p.loc or ""), 0)
    for n in (*g, g.ret):
        layer = 1 + max((boxes[a].layer for a in n.operands if a in boxes), default=0)
        boxes[n] = _Box(_label(n, names), _kind(n), type_text(n.abstract), str(n.loc or ""), layer)
    return boxes


def _kind(n: Apply) -> str:
    if n.fn is prim.return_:
        return "result"
    if n.fn.__class__ is Graph or isinstance(n.fn, Node):
        return "call"
    if n.fn.has_effect:
        return "effect"
    return "structure" if n.fn.__class__ is prim.Structural else "op"


def _label(n: Apply, names: Names) -> str:
    """The callee and what is not drawn as an edge: constants, and nodes of other graphs."""
    fn = names.of.get(n.fn) or getattr(n.fn, "name", "call")
    if isinstance(n.fn, Node):
        fn = f"call {fn}"
    shown = [_short(a, names) for a in n.args if a.__class__ is Constant or a.graph is not n.graph]
    text = f"{fn}({', '.join(shown)})" if shown else fn
    return text if len(text) <= 48 else text[:47] + "…"


def _short(a: Node, names: Names) -> str:
    """An argument in a label; of a constant tensor of one element just its number."""
    v = a.value if a.__class__ is Constant else None
    return (
        str(v.asnumpy())
        if getattr(v, "shape", None) == () and hasattr(v, "asnumpy")
        else value_text(a, names, {})
    )


def _place(layers: dict, boxes: dict) -> None:
    """Give each box its coordinates: ordered by the mean centre of its neighbours, without
    overlap.
    """
    near: dict[Node, list[Node]] = {n: [] for n in boxes}
    for n in boxes:
        if n.__class__ is Apply:
            for a in n.operands:
                if a in boxes:
                    near[n].append(a)
                    near[a].append(n)
    for layer, row in layers.items():
        _spread(row, boxes)
        for n in row:
            boxes[n].y = layer * (_HEIGHT + _GAP_Y)
    for sweep in range(4):
        for layer in sorted(layers, reverse=sweep % 2 == 1):
            row = layers[layer]
            centre = {
                n: sum(boxes[a].x + boxes[a].width / 2 for a in near[n]) / len(near[n])
                if near[n]
                else boxes[n].x
                for n in row
            }
            row.sort(key=centre.__getitem__)
            _spread(row, boxes, centre)


def _spread(row: list, boxes: dict, centre: dict | None = None) -> None:
    x = 0.0
    for n in row:
        b = boxes[n]
        b.x = max(x, centre[n] - b.width / 2) if centre else x
        x = b.x + b.width + _GAP_X


def _edge(a: _Box, b: _Box, shift: float) -> str:
    x0, y0, x1, y1 = a.x + a.width / 2, a.y + _HEIGHT + shift, b.x + b.width / 2, b.y + shift
    middle = (y0 + y1) / 2
    curve = f"M{x0:.1f} {y0:.1f}C{x0:.1f} {middle:.1f} {x1:.1f} {middle:.1f} {x1:.1f} {y1:.1f}"
    return f'<path d="{curve}" marker-end="url(#a)"/>'
