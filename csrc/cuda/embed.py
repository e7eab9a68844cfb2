"""Writes the texts of kernels as C++: embed.py OUTPUT FILES..."""

import pathlib
import sys

PART = 8192
"""Characters of one literal: compilers have limits."""


def literal(text: str) -> str:
    parts = (text[at : at + PART] for at in range(0, len(text), PART))
    return "\n".join(f'R"~~~({part})~~~"' for part in parts) or '""'


output, *files = sys.argv[1:]
rows = (
    f'  if (file == "{path.name}") return std::string_view({literal(path.read_text())});'
    for path in sorted(map(pathlib.Path, files))
)
pathlib.Path(output).write_text(
    '#include "cuda/texts.h"\n\nnamespace minds::cuda {\n\n'
    "std::string_view find_text(std::string_view file) {\n"
    + "\n".join(rows)
    + "\n  return {};\n}\n\n}  // namespace minds::cuda\n"
)
