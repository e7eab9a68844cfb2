"""A GradBench tool: answers messages, JSON objects one a line on stdin, with responses on stdout.

    gradbench run --eval "..." --tool "python benchmarks/gradbench/run.py"

The first run of an evaluation, which compiles, is reported as timing ``compile``; each later one as
``evaluate``. There are at least ``min_runs`` of these, and they take at least ``min_seconds``
together.
"""

from __future__ import annotations

import importlib
import json
import sys
import time
import traceback
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[2]))
from benchmarks.gradbench.evaluation import Evaluation

OBJECTIVES = (
    "ba",
    "det",
    "gmm",
    "hello",
    "ht",
    "kmeans",
    "llsq",
    "lse",
    "lstm",
    "ode",
    "particle",
    "saddle",
)


def timed(compute, args: tuple) -> tuple:
    """(The result, nanoseconds)."""
    start = time.perf_counter_ns()
    result = compute(*args)
    return result, time.perf_counter_ns() - start


def evaluate(evaluation: Evaluation, data) -> dict:
    """The response to one evaluate message, but for its id."""
    wanted = data if isinstance(data, dict) else {}
    args = evaluation.prepare(data)
    result, taken = timed(evaluation.compute, args)
    timings, total, runs = [{"name": "compile", "nanoseconds": taken}], 0, 0
    while runs < max(1, wanted.get("min_runs", 1)) or total < wanted.get("min_seconds", 0) * 1e9:
        result, taken = timed(evaluation.compute, args)
        timings.append({"name": "evaluate", "nanoseconds": taken})
        total, runs = total + taken, runs + 1
    return {"success": True, "output": evaluation.finish(result), "timings": timings}


def functions(module: str) -> dict:
    """The evaluations of an objective."""
    if module not in OBJECTIVES:
        raise ValueError(f"no objective {module!r}; there are {', '.join(OBJECTIVES)}")
    return importlib.import_module(f"benchmarks.gradbench.{module}").FUNCTIONS


def respond(message: dict) -> dict:
    """The response to any message. What goes wrong is in the response."""
    kind, answer = message["kind"], {"id": message["id"]}
    if kind == "start":
        return {**answer, "tool": "minds"}
    if kind not in ("define", "evaluate"):
        return answer
    try:
        found = functions(message["module"])
        if kind == "define":
            return {**answer, "success": True}
        return {**answer, **evaluate(found[message["function"]], message["input"])}
    except Exception:
        return {**answer, "success": False, "error": traceback.format_exc()}


def main() -> None:
    """Answer until stdin ends."""
    for line in sys.stdin:
        print(json.dumps(respond(json.loads(line))), flush=True)


if __name__ == "__main__":
    main()
