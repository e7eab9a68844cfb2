"""A zoo of networks: ordinary cells of `minds.nn`, each in a module of its own.

    net = minds.models.create("resnet50", num_classes=10)
    minds.models.list("res*")

A network is added in one place. Its module lies in the package of its area (``classification``,
``text``, …) and ends in a class, or a function that makes a cell, below a table of its sizes::

    @register(
        resnet18={"block": BasicBlock, "layers": (2, 2, 2, 2)},
        resnet50={"block": Bottleneck, "layers": (3, 4, 6, 3)},
    )
    class ResNet(nn.Cell):
        '''Residual networks: what they are, in one sentence, and the paper.'''

        def __init__(self, block, layers, num_classes: int = 1000): ...

Each name becomes a constructor, `minds.models.resnet50`, whose keyword arguments are those of the class;
what the table says are their defaults. Nothing lists modules or names again: the packages are imported when
the first constructor is asked for. The attributes that hold parameters are named as the first public
implementation names them (torchvision's, or transformers'), so that `minds.compat.torch` loads its weights.
What several networks are made of is in ``parts``.

A row in ``tests/models/rows_AREA.py`` per constructor says how many parameters it has, and by what source.
"""

from ..base.boundary import guard as _guard
from ..base.late import late as _late
from .registry import constructors as _constructors
from .registry import create, matching, register

list = matching

__getattr__, _names = _late(
    __name__, {}, ["classification", "registry"], lambda name: _constructors().get(name)
)
__all__ = ["create", "list", "register"]


def __dir__() -> list:
    return sorted({*_names(), *_constructors()})


_guard(__name__)
