"""A closed typed graph becomes the bytes of a program: legalise, linearize, fuse, memory, encode."""
