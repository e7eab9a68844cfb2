"""The command line ``python -m minds.parallel plan SCRIPT:FUNCTION``."""

from __future__ import annotations

import argparse
import os
import runpy
import sys

from ..base.outlines import shapes_alone
from .plan import plan


def _mesh(text: str) -> dict[str, int]:
    found = {}
    for part in text.split(","):
        name, _, size = part.partition("=")
        if not name or not size.isdigit() or not int(size) or name in found:
            raise argparse.ArgumentTypeError(f"{text!r} is no mesh such as pp=4,dp=8,mp=2")
        found[name] = int(size)
    return found


def options(arguments: list) -> argparse.Namespace:
    """What the command line says."""
    parser = argparse.ArgumentParser(prog="python -m minds.parallel")
    command = parser.add_subparsers(dest="command", required=True).add_parser(
        "plan", help="how a training step would run on a cluster"
    )
    command.add_argument(
        "step",
        metavar="SCRIPT:FUNCTION",
        help="FUNCTION() of the script gives the step and the tuple of its arguments",
    )
    command.add_argument(
        "--mesh", type=_mesh, help="axes and sizes, such as pp=4,dp=8,mp=2; default: the best found"
    )
    command.add_argument("--devices", type=int, help="how many; default: those of the mesh, or 8")
    command.add_argument("--cluster", default="h100", help="the kind of machine; default: h100")
    command.add_argument(
        "--schedule", default="1f1b", help="of the pipeline: 1f1b, gpipe, interleaved, zb"
    )
    command.add_argument(
        "--memory", type=float, help="bytes that a step may take of each device; default: all"
    )
    command.add_argument("--json", action="store_true", help="print JSON")
    command.add_argument("--svg", metavar="FILE", help="draw the timeline")
    return parser.parse_args(arguments)


def _made(place: str) -> tuple:
    """The step and its arguments."""
    script, _, name = place.rpartition(":")
    if not os.path.isfile(script):
        raise SystemExit(f"plan: there is no script {script!r}; expected SCRIPT:FUNCTION")
    sys.path.insert(0, os.path.dirname(os.path.abspath(script)))
    function = runpy.run_path(script, run_name="__plan__").get(name)
    if not callable(function):
        raise SystemExit(f"plan: {script} has no function {name!r}")
    found = function()
    if not isinstance(found, tuple) or len(found) != 2 or not isinstance(found[1], tuple):
        raise SystemExit(f"plan: {name}() gives no (step, (argument, ...))")
    return found


def main(arguments: list) -> None:
    """Plan, and print."""
    said = options(arguments)
    count = 1
    for n in (said.mesh or {}).values():
        count *= n
    if said.mesh and said.devices not in (None, count):
        raise SystemExit(f"plan: a mesh of {count} devices, and --devices {said.devices}")
    with shapes_alone():
        step, args = _made(said.step)
    found = plan(step, args, said.cluster, said.devices or 8, said.mesh, said.schedule, said.memory)
    print(found.to_json() if said.json else found)
    if said.svg:
        with open(said.svg, "w", encoding="utf-8") as f:
            f.write(found.to_svg())


if __name__ == "__main__":
    main(sys.argv[1:])
