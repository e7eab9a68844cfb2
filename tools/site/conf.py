"""What Sphinx needs to know of the documentation site; `build.py` runs it."""

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
