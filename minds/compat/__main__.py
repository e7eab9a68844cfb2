"""``python -m minds.compat script.py args…`` runs a script of MindSpore's on minds;
``python -m minds.compat --check DIR`` says what of a source tree minds lacks.
"""

from __future__ import annotations

import argparse
import json
import os
import runpy
import sys

from . import install
from .check import check


def main(args: list[str]) -> int:
    """Do what the command line asks for.

    Args:
        args: the words after ``python -m minds.compat``.

    Returns:
        int: the status of the process: 1 where `check` found something missing.
    """
    parser = argparse.ArgumentParser(prog="python -m minds.compat", description=__doc__)
    parser.add_argument("--check", metavar="DIR", help="report what a file or source tree uses")
    parser.add_argument("--json", action="store_true", help="report as JSON")
    parser.add_argument("-m", dest="module", metavar="MODULE", help="run a module, not a file")
    parser.add_argument("script", nargs=argparse.REMAINDER, help="the script and its arguments")
    asked = parser.parse_args(args)
    install()
    if asked.check:
        return _report(asked.check, asked.json)
    if asked.module:
        sys.argv = [asked.module, *asked.script]
        sys.path[0] = os.getcwd()
        runpy.run_module(asked.module, run_name="__main__", alter_sys=True)
        return 0
    if not asked.script:
        parser.print_usage()
        return 2
    sys.argv = asked.script
    sys.path[0] = os.path.dirname(os.path.abspath(asked.script[0]))
    runpy.run_path(asked.script[0], run_name="__main__")
    return 0


def _report(place: str, as_json: bool) -> int:
    if not os.path.exists(place):
        raise SystemExit(f"python -m minds.compat: there is no {place}")
    found = check(place)
    missing = sum(f.kind == "missing" for f in found)
    if as_json:
        print(json.dumps([vars(f) for f in found], indent=1))
    else:
        for f in found:
            print(f)
        print(
            f"{missing} uses of what minds lacks, {len(found) - missing} of what it treats differently"
        )
    return 1 if missing else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
