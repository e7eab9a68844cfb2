"""Write the golden messages anew: ``python tests/errors/regenerate.py [name ...]``.

Read every difference before you commit it.
"""

from __future__ import annotations

import os
import sys

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))

import harness


def main(names: list) -> None:
    """Write the golden files of ``names`` (default: all), and remove those of programs that are
    gone.
    """
    programs = harness.load()
    for name in names or programs:
        text = programs[name].messages()
        with open(harness.golden(name), "w") as f:
            f.write(text)
    for file in os.listdir(harness.GOLDEN):
        if file.removesuffix(".txt") not in programs:
            os.remove(os.path.join(harness.GOLDEN, file))
    print(f"{len(names or programs)} messages")


if __name__ == "__main__":
    main(sys.argv[1:])
