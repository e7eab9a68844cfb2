"""Datasets of images, by how their files are arranged."""
