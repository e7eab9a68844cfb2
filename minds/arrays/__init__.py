"""Floor 1: arrays of the core to and from Python, and what `Tensor` inherits of that."""
