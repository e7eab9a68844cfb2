"""The table of datasets in docs/data.md, from their declarations.

python tests/docs/datasets_table.py          # write it
"""

import inspect
import os
import re

import minds.dataset as ds

PAGE = os.path.join(os.path.dirname(__file__), "..", "..", "docs", "data.md")
BEGIN, END = "<!-- datasets -->\n", "<!-- end of datasets -->\n"
KINDS = {
    "image_sets": "Images",
    "text_sets": "Text",
    "audio_sets": "Sound",
    "record_sets": "Records and rows of no file",
}


def declared():
    """Dataset classes that are declarations, by kind."""
    found = {kind: [] for kind in KINDS}
    for name in sorted(dir(ds)):
        value = getattr(ds, name)
        kind = getattr(value, "__module__", "").split(".")[2:3]
        if isinstance(value, type) and kind and kind[0] in found and name.endswith("Dataset"):
            found[kind[0]].append(value)
    return found


def example(made: type) -> str:
    """A call with what must be given, and the columns that it makes."""
    given = inspect.signature(made).parameters.values()
    needed = ", ".join(
        p.name for p in given if p.default is p.empty and p.kind is p.POSITIONAL_OR_KEYWORD
    )
    columns = ", ".join(getattr(made, "columns", ()))
    return f"`ds.{made.__name__}({needed})`" + (f": {columns}" if columns else "")


def table() -> str:
    lines = []
    for kind, classes in declared().items():
        lines += [f"| {KINDS[kind]} | rows | columns of an example |", "| --- | --- | --- |"]
        for c in classes:
            summary = " ".join(c.__doc__.split("\n\n")[0].split())
            lines.append(f"| `{c.__name__}` | {summary} | {example(c)} |")
        lines.append("")
    return "\n".join(lines)


def page(text: str) -> str:
    """The page with the table of now."""
    inner = re.escape(BEGIN) + r".*?" + re.escape(END)
    return re.sub(inner, lambda _: BEGIN + table() + END, text, flags=re.DOTALL)


if __name__ == "__main__":
    with open(PAGE, encoding="utf-8") as f:
        old = f.read()
    with open(PAGE, "w", encoding="utf-8") as f:
        f.write(page(old))
