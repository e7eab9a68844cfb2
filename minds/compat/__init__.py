"""What exists only because MindSpore spells it so: modules under its paths, settings that are
accepted and have no effect. `paths` is the table, `importer` serves it.

``python -m minds.compat script.py`` runs a script that imports ``mindspore``;
``python -m minds.compat --check DIR`` reports what a source tree uses that minds lacks.
`torch` puts weights of PyTorch into networks.
"""

from ..base.late import late as _late
from .importer import install

__getattr__, __dir__ = _late(__name__, {}, ["torch"])
__all__ = ["install"]
