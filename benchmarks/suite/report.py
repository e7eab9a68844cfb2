"""The results of a run as a table, a page and a picture."""

from __future__ import annotations

import pathlib
import platform
import statistics
from html import escape

from cases import CASES, LIMITS

PAGE = """# Performance

Made by `make bench` (`benchmarks/suite/run.py --write`): each framework in a process of its own,
{threads} threads, median of two to {rounds} interleaved rounds; the unit is ms per step, or ms. "of the
limit" is the share of the fastest product of matrices, or of the copy, that any framework reached in the
same run ({kind}; GFLOP/s and GB/s: {machine}). First calls and peak memory (beyond the imports) are those
of minds and of the peers in the table's order.
"""

PEERS = ("torch", "torch channels_last", "torch.compile", "jax", "mindspore")


def limits(found: dict) -> dict:
    """What the machine can do: GFLOP/s by precision, and GB/s; the best that any framework reached."""
    best = {}
    for case, name in (("gemm", "float32"), ("gemm_bf16", "bfloat16"), ("copy", "bytes")):
        times = [r.ms for r in found.get(case, {}).values()]
        if times:
            best[name] = (LIMITS[case].flop or LIMITS[case].bytes) / min(times) / 1e6
    return best


def share(case: str, ms: float, best: dict) -> str:
    """How close a time is to what the machine can do."""
    c = CASES[case]
    if c.flop and c.precision in best:
        return f"{c.flop / ms / 1e6 / best[c.precision]:.0%}"
    return f"{c.bytes / ms / 1e6 / best['bytes']:.0%}" if c.bytes and "bytes" in best else ""


def ratios(found: dict) -> dict[str, float]:
    """By case, the time of the best peer over that of minds: above 1, minds leads."""
    out = {}
    for case in CASES:
        results = found.get(case, {})
        peers = [results[p].ms for p in PEERS if p in results]
        if peers and "minds" in results:
            out[case] = min(peers) / results["minds"].ms
    return out


def table(found: dict) -> str:
    """All results, as a table of Markdown."""
    best, lead = limits(found), ratios(found)
    peers = [p for p in PEERS if any(p in r for r in found.values())]
    head = ["workload", "minds", *peers, "best peer / minds", "of the limit"]
    head += ["first call, s", "peak memory, MB", "losses"]
    rows = [head, ["---"] * len(head)]
    for case, results in found.items():
        if case not in CASES or not results:
            continue
        own = results.get("minds")
        row = [CASES[case].title, f"{own.ms:.4g}" if own else "–"]
        row += [f"{results[p].ms:.4g}" if p in results else "–" for p in peers]
        row += [f"**{lead[case]:.2f}**" if case in lead else "–"]
        row += [share(case, own.ms, best) if own else ""]
        everyone = [("minds", own), *((p, results.get(p)) for p in peers)]
        row += [" / ".join(f"{r.first:.2f}" if r else "–" for _, r in everyone)]
        row += [" / ".join(f"{r.peak_mb:.0f}" if r else "–" for _, r in everyone)]
        row += [" → ".join(f"{v:.3g}" for v in own.losses) if own else ""]
        rows.append(row)
    return "\n".join("| " + " | ".join(row) + " |" for row in rows)


def write(found: dict, threads: int, rounds: int, folder: pathlib.Path) -> None:
    """docs/performance.md and docs/performance.svg."""
    best, lead = limits(found), ratios(found)
    machine = ", ".join(f"{name} {value:,.0f}" for name, value in best.items())
    mean = statistics.geometric_mean(lead.values()) if lead else float("nan")
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "performance.svg").write_text(picture(lead), encoding="utf-8")
    (folder / "performance.md").write_text(
        PAGE.format(threads=threads, rounds=rounds, kind=platform.machine(), machine=machine)
        + f"Above 1, minds leads; in the geometric mean {mean:.2f}.\n\n"
        + f"![time of the best peer over that of minds](performance.svg)\n\n{table(found)}\n",
        encoding="utf-8",
    )


def picture(lead: dict[str, float]) -> str:
    """Bars of the ratios; the line is level."""
    scale, left, height = 140, 330, 26
    width = int(left + scale * max([2.0, *lead.values()]) + 70)
    bars = []
    for n, (case, ratio) in enumerate(lead.items()):
        y, colour = 34 + n * height, "#2a7f62" if ratio >= 0.97 else "#b5532a"
        bars.append(
            f'<text x="{left - 8}" y="{y + 13}" text-anchor="end">{escape(CASES[case].title)}</text>'
            f'<rect x="{left}" y="{y}" width="{scale * ratio:.1f}" height="18" fill="{colour}"/>'
            f'<text x="{left + scale * ratio + 6:.1f}" y="{y + 13}">{ratio:.2f}</text>'
        )
    bottom = 40 + len(lead) * height
    return (
        f'<svg xmlns="http://www.w3.org/2000/svg" width="{width}" height="{bottom + 10}" '
        'font-family="sans-serif" font-size="12">'
        f'<rect width="{width}" height="{bottom + 10}" fill="white"/>'
        f'<text x="{left}" y="18">time of the best peer / time of minds</text>{"".join(bars)}'
        f'<line x1="{left + scale}" y1="26" x2="{left + scale}" y2="{bottom}" stroke="black"/></svg>\n'
    )
