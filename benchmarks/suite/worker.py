"""One workload in one framework, in a process of its own: it says how long the first call took, then
measures a round at each line it reads, and at the end says its peak memory and its losses.
"""

from __future__ import annotations

import argparse
import importlib
import json
import os
import resource
import sys
import time

from cases import CASES, LIMITS

MODULES = {"minds": "in_mindspore", "mindspore": "in_mindspore", "jax": "in_jax"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("framework")
    parser.add_argument("case")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    if args.framework == "jax":  # it has no setting: it sees so many processors
        os.sched_setaffinity(0, sorted(os.sched_getaffinity(0))[-args.threads :])
    answers, sys.stdout = sys.stdout, sys.stderr  # what frameworks print is no answer
    module = importlib.import_module(MODULES.get(args.framework, "in_torch"))
    if module.__name__ == "in_torch":
        module.torch.set_num_threads(args.threads)
        module.torch.set_default_device(args.device)
    if args.framework == "minds":
        importlib.import_module("minds").set_context(
            device_target="GPU" if args.device == "cuda" else "CPU"
        )
    imported = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run = module.make(args.framework, args.case)
    begin = time.perf_counter()
    losses = [run()]
    say(answers, first=time.perf_counter() - begin)
    repeat = {**CASES, **LIMITS}[args.case].repeat
    for _ in sys.stdin:
        begin = time.perf_counter()
        for _ in range(repeat):
            losses.append(run())
        say(answers, ms=(time.perf_counter() - begin) / repeat * 1e3)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    numbers = [v for v in losses if isinstance(v, float)]
    say(answers, peak_mb=(peak - imported) / 1024, losses=numbers[:1] + numbers[-1:])


def say(stream, **values) -> None:
    print(json.dumps(values), file=stream, flush=True)


if __name__ == "__main__":
    main()
