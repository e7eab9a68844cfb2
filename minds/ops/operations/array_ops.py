"""MindSpore's module `ops.operations.array_ops`: the class spellings, as in the package."""

from . import __dir__, __getattr__  # noqa: F401
