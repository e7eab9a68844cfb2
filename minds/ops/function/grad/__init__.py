"""MindSpore's module `ops.function.grad`."""
