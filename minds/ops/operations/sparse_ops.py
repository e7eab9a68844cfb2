"""MindSpore's module `ops.operations.sparse_ops`: the class spellings, as in the package."""

from . import __dir__, __getattr__  # noqa: F401
