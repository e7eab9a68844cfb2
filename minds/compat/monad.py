"""MindSpore's module `common._monad`: tokens that order effects there. Here program order does."""

U = IO = None

__all__ = ["IO", "U"]
