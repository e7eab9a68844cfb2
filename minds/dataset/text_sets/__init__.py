"""Datasets of text, by the format of their files."""
