"""Functions of Python's library, written in the language that is compiled: they are interpreted
like the functions of a user, and messages speak of the line that calls them.
"""

from . import contexts, counters, functions, iterators, namespaces
