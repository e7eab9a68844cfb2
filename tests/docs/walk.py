"""Runs docs/walk.md: executes its source and fills in its listings.

python tests/docs/walk.py            rewrites the listings
python tests/docs/walk.py --check    only compares
"""

from __future__ import annotations

import os
import re
import runpy
import sys
import tempfile

PAGE = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "docs", "walk.md")
BLOCK = re.compile(r"^```(text|python) stage=(\w+)\n.*?^```$", re.M | re.S)


def run_source(page: str) -> dict:
    """The names that the page's first Python block defines, run from a file so that its source can
    be read.
    """
    source = re.search(r"^```python\n(.*?)^```$", page, re.M | re.S).group(1)
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "walk.py")
        with open(path, "w") as f:
            f.write(source)
        return runpy.run_path(path)


def filled(page: str) -> str:
    """The page with its listings as minds prints them now."""
    stages = run_source(page)["stages"]

    def listing(m) -> str:
        kind, name = m.groups()
        shown = stages[name].text() if kind == "text" else stages[name].python()
        return f"```{kind} stage={name}\n{shown.rstrip()}\n```"

    return BLOCK.sub(listing, page)


def read() -> str:
    """The page as it is."""
    with open(PAGE, encoding="utf-8") as f:
        return f.read()


if __name__ == "__main__":
    new = filled(read())
    if "--check" in sys.argv:
        sys.exit("docs/walk.md does not show what minds prints" if new != read() else 0)
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(new)
