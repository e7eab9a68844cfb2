"""A closed typed graph becomes the bytes of a program: legalise, linearize, fuse, memory, encode."""

from ..base.late import late

__getattr__, __dir__ = late(__name__, {}, ("program",), public=False)
