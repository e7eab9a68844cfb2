"""What exists only because MindSpore spells it so: modules under its paths, settings that are
accepted and have no effect. `paths` is the table, `importer` serves it.

``python -m minds.compat script.py`` runs a script that imports ``mindspore``;
``python -m minds.compat --check DIR`` reports what a source tree uses that minds lacks.
"""

from .importer import install

__all__ = ["install"]
