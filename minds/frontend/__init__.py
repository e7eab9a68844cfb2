"""Floor 3: Python source to typed graph, by abstract interpretation of the gast tree.

The interpreter walks the user's source as CPython would. What is known now (containers, cells,
shapes, numbers from constants) is computed now; what is known only at run time is a `Node`, and
using it emits typed nodes. Calls are inlined, except recursive ones; a condition on a run-time
value becomes a `switch`, a loop a graph that calls itself.
"""
