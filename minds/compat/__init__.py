"""What exists only because MindSpore spells it so: modules under its paths, settings that are
accepted and have no effect. `paths` is the table, `importer` serves it.
"""

from .importer import install

__all__ = ["install"]
