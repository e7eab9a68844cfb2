"""A program for given sizes, from one whose shapes contain `Dim`s."""

from __future__ import annotations

from . import walk
from .clone import copy_program
from .node import Constant, Graph, Node
from .sizes import bound, open_


def bind(root: Graph, env: dict) -> Graph:
    """A copy of the program ``root`` in which every size has its value.

    Args:
        root (Graph): typed and closed; it stays as it is.
        env (dict): the value of each variable.
    """
    copy = copy_program(root)
    abstracts: dict = {}
    constants: dict[Node, Node] = {}

    def of(a):
        found = abstracts.get(id(a))
        if found is None:
            # The abstract value is kept with its key, so that no other takes its identity.
            found = abstracts[id(a)] = (a, bound(a, env))
        return found[1]

    def operand(n: Node) -> Node:
        if type(n) is not Constant or not open_(n.value):
            return n
        found = constants.get(n)
        if found is None:
            found = constants[n] = Constant(bound(n.value, env), of(n.abstract), n.loc)
        return found

    for g in walk.graphs(copy):
        for p in g.params:
            p.abstract = of(p.abstract)
        for n in g:
            n.abstract = of(n.abstract)
            n.args = tuple(map(operand, n.args))  # constants keep no uses
        if g.ret is not None:
            g.output = operand(g.output)
            g.ret.abstract = of(g.ret.abstract)
    return copy
