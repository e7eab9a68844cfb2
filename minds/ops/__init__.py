"""Floor 2: the ops."""
