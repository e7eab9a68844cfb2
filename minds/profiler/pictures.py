"""Pictures of a profile, as SVG: a flame graph, and memory over time."""

from __future__ import annotations

from html import escape

from .places import stack_of

WIDTH, HEIGHT = 1200, 18
"""Of a picture, and of a bar of a flame graph, in pixels."""
_NARROWEST = 0.5


class Bar:
    """A bar of a flame graph: its time in nanoseconds, and the bars that stand on it by name."""

    def __init__(self, name: str):
        self.name, self.time, self.above = name, 0, {}

    def add(self, stack: list[str], time: int) -> None:
        """Add the time of a kernel that ``stack`` led to, the outermost call first."""
        at = self
        at.time += time
        for name in stack:
            at = at.above.setdefault(name, Bar(name))
            at.time += time


def frames_of(work) -> Bar:
    """The bars of kernels, on one that stands for all."""
    root = Bar("all")
    for w in work:
        if w.op:
            root.add(stack_of(w), w.end - w.begin)
    return root


def flame_graph(work) -> str:
    """The time of kernels by the calls that led to them.

    Args:
        work (list[Work]): kernels.

    Returns:
        str: SVG.
    """
    root, bars, depth = frames_of(work), [], 0
    total, todo = max(root.time, 1), [(root, 0, 0)]
    while todo:
        frame, begin, level = todo.pop()
        depth = max(depth, level)
        bars.append((frame, begin, level))
        for child in frame.above.values():
            todo.append((child, begin, level + 1))
            begin += child.time
    height = (depth + 1) * HEIGHT
    return _svg(height, [_bar(*bar, total, height) for bar in bars])


def _bar(frame: Bar, begin: int, level: int, total: int, height: int) -> str:
    x, width = WIDTH * begin / total, WIDTH * frame.time / total
    if width < _NARROWEST:
        return ""
    y = height - (level + 1) * HEIGHT
    hue = sum(frame.name.encode()) % 50
    said = f"{frame.name}: {frame.time / 1e6:.3f} ms, {frame.time / total:.1%}"
    shown = frame.name[: int(width / 7)]
    return (
        f"<g><title>{escape(said)}</title>"
        f'<rect x="{x:.1f}" y="{y}" width="{width:.1f}" height="{HEIGHT - 1}" '
        f'fill="hsl({hue},80%,65%)"/>'
        f'<text x="{x + 3:.1f}" y="{y + 13}">{escape(shown)}</text></g>'
    )


def memory_chart(points: list) -> str:
    """Bytes in use over time.

    Args:
        points (list[tuple]): (milliseconds, bytes).

    Returns:
        str: SVG.
    """
    height = 200
    last = max((t for t, _ in points), default=0) or 1
    most = max((b for _, b in points), default=0) or 1
    steps, before = [], float(height)
    for t, b in points:
        x, y = WIDTH * t / last, height - (height - 20) * b / most
        steps += [f"{x:.1f},{before:.1f}", f"{x:.1f},{y:.1f}"]
        before = y
    line = f'<polyline fill="none" stroke="steelblue" points="{" ".join(steps)}"/>'
    said = f"at the most {most / 2**20:.1f} MiB in use, {last:.1f} ms"
    return _svg(height, [line, f'<text x="3" y="13">{said}</text>'])


def _svg(height: int, parts: list[str]) -> str:
    head = f'<svg xmlns="http://www.w3.org/2000/svg" width="{WIDTH}" height="{height}" '
    return (
        head
        + 'font-family="monospace" font-size="11">\n'
        + "\n".join(filter(None, parts))
        + "\n</svg>\n"
    )
