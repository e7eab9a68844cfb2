"""MindSpore's place for the functions that differentiate. They are above the ops:
`minds/__init__.py` puts them here.
"""
