"""Composites: plain functions over ops, under MindSpore's names. They run on tensors, and on nodes while a graph is built."""
