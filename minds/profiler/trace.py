"""Traces in the format of Chrome's about:tracing, which Perfetto opens."""

from __future__ import annotations

import gzip
import json
import os

from .places import place_of


def trace_events(work, marks, exchanges=()) -> list[dict]:
    """The events of a trace; times are microseconds.

    Args:
        work (list[Work]): kernels and runs.
        marks (list[Mark]): stretches and moments with a name.
        exchanges (list[Exchange]): with other processes. Default: none.

    Returns:
        list[dict]: events of Chrome's format.
    """
    process = os.getpid()
    found, lanes = [], {}

    def lane(key: str) -> int:
        if key not in lanes:
            lanes[key] = len(lanes) + 1
            about = {"name": "thread_name", "ph": "M", "pid": process, "tid": lanes[key]}
            found.append(about | {"args": {"name": key}})
        return lanes[key]

    def event(name: str, kind: str, begin: int, end: int, tid: int, args: dict) -> dict:
        span = {"name": name, "cat": kind, "ph": "X", "ts": begin / 1e3, "dur": (end - begin) / 1e3}
        return span | {"pid": process, "tid": tid, "args": args}

    for w in work:
        tid = lane(f"kernels {w.thread}")
        if w.op:
            shapes = {n: repr(a) for n, a in w.operands if a is not None}
            args = {"line": place_of(w), "program": w.program or "eager", **shapes}
            found.append(event(w.op, "kernel", w.begin, w.end, tid, args))
        else:
            found.append(event(f"run {w.program}", "run", w.begin, w.end, tid, {}))
        counter = {"name": "memory", "ph": "C", "ts": w.end / 1e3, "pid": process}
        found.append(counter | {"args": {"bytes in use": w.in_use}})
    for e in exchanges:
        args = {"line": e.line, "bytes sent": e.sent}
        found.append(event(e.what, "exchange", e.begin, e.end, lane("communication"), args))
    found += [event(m.name, "mark", m.begin, m.end, lane(m.thread), {}) for m in marks]
    return found


def write_trace(path: str, work, marks, metadata: dict | None = None, exchanges=()) -> None:
    """Write a trace; compressed where ``path`` ends in ``.gz``.

    Raises:
        OSError: it cannot be written.
    """
    whole = {"displayTimeUnit": "ms", "traceEvents": trace_events(work, marks, exchanges)}
    whole |= {"otherData": metadata} if metadata else {}
    text = json.dumps(whole).encode()
    path = os.fspath(path)  # a number would be an open file
    with open(path, "wb") as f:
        f.write(gzip.compress(text) if path.endswith(".gz") else text)
