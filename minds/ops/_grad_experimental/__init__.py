"""MindSpore's place for the gradients of users' primitives."""
