"""A timeline as a drawing (SVG): a row for each group of devices, a box for each thing that it does."""

from __future__ import annotations

from html import escape

_COLOURS = {
    "forward": "#6aa3d9",
    "backward": "#e3a857",
    "weights": "#8fbf73",
    "rest": "#b39ddb",
    "communication": "#d9777f",
}
_LEFT, _WIDTH, _ROW, _TOP = 80, 1000, 24, 44


def svg(spans: list, title: str) -> str:
    """Spans as a drawing.

    Args:
        spans (list[Span]): of `sharding.simulate`.
        title (str): stands above.

    Returns:
        str: the text of an SVG file.
    """
    end = max((s.end for s in spans), default=0.0) or 1.0
    groups = 1 + max((s.group for s in spans), default=0)
    height = _TOP + groups * _ROW + 40
    lines = [
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{_LEFT + _WIDTH + 20}" height="{height}" '
        'font-family="sans-serif" font-size="11">',
        '<rect width="100%" height="100%" fill="white"/>',
        f'<text x="8" y="18" font-size="13">{escape(title)}</text>',
    ]
    for i, (name, colour) in enumerate(_COLOURS.items()):
        x = _LEFT + 110 * i
        lines.append(f'<rect x="{x}" y="26" width="10" height="10" fill="{colour}"/>')
        lines.append(f'<text x="{x + 14}" y="35">{name}</text>')
    for g in range(groups):
        name = f"group {g}" if groups > 1 else "a device"
        lines.append(f'<text x="8" y="{_TOP + g * _ROW + 15}">{name}</text>')
    lines += [_box(s, _WIDTH / end) for s in spans]
    for i in range(5):
        x, y = _LEFT + _WIDTH * i / 4, _TOP + groups * _ROW
        lines.append(f'<line x1="{x}" x2="{x}" y1="{_TOP}" y2="{y + 4}" stroke="#bbb"/>')
        lines.append(
            f'<text x="{x}" y="{y + 18}" text-anchor="middle">{1e3 * end * i / 4:.4g} ms</text>'
        )
    return "\n".join([*lines, "</svg>"]) + "\n"


def _box(s, scale: float) -> str:
    colour = _COLOURS[s.kind if s.kind in _COLOURS else s.what.split()[0]]
    x, width = _LEFT + s.start * scale, max((s.end - s.start) * scale, 0.05)
    told = f"{s.what}, {s.kind}: {1e3 * (s.end - s.start):.4g} ms"
    return (
        f'<rect x="{x:.2f}" y="{_TOP + s.group * _ROW + 2}" width="{width:.2f}" height="{_ROW - 4}" '
        f'fill="{colour}"><title>{escape(told)}</title></rect>'
    )


__all__ = ["svg"]
