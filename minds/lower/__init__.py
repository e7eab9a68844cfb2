"""Floor 4: a closed typed graph becomes the bytes of a program: legalise, select, linear, memory,
program.
"""
