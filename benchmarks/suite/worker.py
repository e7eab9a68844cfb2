"""One workload in one framework, in a process of its own: it says how long the first call took, then
measures a round at each line it reads, and at the end says its peak memory and its losses.
"""

from __future__ import annotations

import argparse
import importlib
import pathlib
import resource
import sys
import time

sys.path.append(str(pathlib.Path(__file__).resolve().parents[1]))
from cases import CASES, LIMITS
from peer import answers, limit_threads, serve

MODULES = {"minds": "in_mindspore", "mindspore": "in_mindspore", "jax": "in_jax"}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("framework")
    parser.add_argument("case")
    parser.add_argument("--threads", type=int, required=True)
    parser.add_argument("--device", default="cpu")
    args = parser.parse_args()
    say = answers()
    limit_threads(args.framework, args.threads)
    module = importlib.import_module(MODULES.get(args.framework, "in_torch"))
    if module.__name__ == "in_torch":
        module.torch.set_default_device(args.device)
    if args.framework == "minds":
        importlib.import_module("minds").set_context(
            device_target="GPU" if args.device == "cuda" else "CPU"
        )
    imported = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    run = module.make(args.framework, args.case)
    begin = time.perf_counter()
    losses = [run()]
    say(first=time.perf_counter() - begin)
    serve(say, lambda: losses.append(run()), {**CASES, **LIMITS}[args.case].repeat)
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    numbers = [v for v in losses if isinstance(v, float)]
    say(peak_mb=(peak - imported) / 1024, losses=numbers[:1] + numbers[-1:])


if __name__ == "__main__":
    main()
