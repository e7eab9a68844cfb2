"""Faces whose parameters are not those of the function: methods of tensors, which take ``self``, and
functions of `minds.mint`, which follow torch; by family, each in terms of the public functions.
"""

from . import array, index, linalg, nn, number, random, reduce
