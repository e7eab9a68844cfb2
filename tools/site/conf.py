"""What Sphinx needs to know of the documentation site; `build.py` runs it."""

import re

import minds

project = "minds"
version = release = minds.__version__
extensions = ["sphinx.ext.autodoc", "sphinx.ext.napoleon", "myst_parser", "mathml"]

html_theme = "furo"
html_title = f"minds {version}"
html_math_renderer = "mathml"
html_copy_source = False
html_show_sphinx = False
html_show_copyright = False

myst_heading_anchors = 4
# Links of documents are checked in tests/docs; a name like `dtype` stands for several.
suppress_warnings = ["myst.xref_missing", "ref.python"]

napoleon_custom_sections = [("Inputs", "params_style"), ("Outputs", "returns_style"), "Source"]
napoleon_use_ivar = True
autodoc_member_order = "bysource"


def _plain(app, what, name, obj, options, lines):
    """Write operands of cells, and several parameters in one line, as napoleon knows them."""
    for i, line in enumerate(lines):
        line = re.sub(r"(- )?\*\*(\w+)\*\* \(", r"\2 (", line)
        lines[i] = re.sub(r"(\w+) (\([^()]*\)), (\w+) \2:", r"\1, \3 \2:", line)


def setup(app):
    app.connect("autodoc-process-docstring", _plain, priority=100)  # before napoleon
