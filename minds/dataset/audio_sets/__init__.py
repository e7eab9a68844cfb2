"""Datasets of sound: WAV or SPHERE files, and what was said in them."""
