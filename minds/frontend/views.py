"""Views in compiled code: which nodes share the elements of which tensors.

A view has no contents of its own: what it holds is computed from those of its root, where they are
no longer those it was made from (`Views.present`), and a change of it is a change of its root
(`setitem.change`). So joins and loops, which know contents of roots, need not know of views.

What the user's calls and indexing give is a view; what the frontend computes for itself (`native`)
stays what it was.
"""

from __future__ import annotations

from ..ir import prim
from ..ir.node import Apply, Constant, Node
from ..ops import views
from ..ops.define import P
from ..ops.views import Way
from ..tensor import Parameter, Tensor


class Views:
    """Those of one compilation.

    Attributes:
        ways: identity of a view → (its node, its root, the way there, what the root held when it was
            made).
        contents: identity of what a tensor holds → (that, the tensor).
        reads: (identity of a view, of what its root holds) → what the view holds then.
        pieces: identity of a `split` → (its node, what it splits, the slices of that which it gives).
        open: whether results are views now.
        parameters: the identities of those that have views.
    """

    def __init__(self, ip):
        self.ip, self.open = ip, False
        self.ways: dict = {}
        self.contents: dict = {}
        self.reads: dict = {}
        self.pieces: dict = {}
        self.parameters: set = set()

    # ---- making

    def emitted(self, made: Apply, fn, args) -> None:
        """``fn`` gave ``made`` of these arguments."""
        if fn is P.split:
            x, sizes, axis = args
            self.pieces[id(made)] = (made, x, views.pieces(x.shape, sizes, axis))
        elif fn is prim.tuple_getitem:
            split = self.pieces.get(id(args[0]))
            if split is not None:
                _, x, slices = split
                self._note(made, P.strided_slice, x, slices[args[1]])
        elif getattr(fn, "views", False):
            self._note(made, fn, args[0], tuple(args[1:]))

    def _note(self, made: Apply, op, x, params: tuple) -> None:
        x = x.value if type(x) is Constant else x
        _, x = self.contents.get(id(x), (x, x))
        if not isinstance(x, (Node, Tensor)):
            return
        shape = x.shape
        _, root, before, _ = self.ways.get(id(x), (x, x, None, None))
        way = views.step(before, op, params, shape, made.shape)
        if way is None:
            return
        if isinstance(root, Parameter):
            self.parameters.add(id(root))
        self.ways[id(made)] = (made, root, way, self.content(root))

    def forget(self, v) -> None:
        """``v`` is a tensor of its own."""
        self.ways.pop(id(v), None)

    # ---- reading and writing

    def of(self, v) -> tuple:
        """(root, way to ``v``), which is its own root, without a way, if it is no view."""
        found = self.ways.get(id(v))
        return (v, None) if found is None else (found[1], found[2])

    def root(self, v):
        """The tensor whose elements ``v`` shares."""
        found = self.ways.get(id(v))
        return v if found is None else found[1]

    def owner(self, v):
        """The root of what ``v`` is, is a view of, or is held by."""
        v = v.value if type(v) is Constant else v
        return self.root(self.contents.get(id(v), (v, v))[1])

    def content(self, root):
        """What a root holds now."""
        if isinstance(root, Parameter):
            return self.ip.read(root)
        if id(root) in self.ip.parameters.chosen.of:
            return self.ip.parameters.chosen.read(root)
        box = self.ip.tensors.boxes.get(id(root))
        return root if box is None else box[0]

    def present(self, v):
        """What a view holds now."""
        _, root, way, then = self.ways[id(v)]
        now = self.content(root)
        return v if now is then else self._seen(v, way, now)

    def _seen(self, v, way: Way, now):
        key = (id(v), id(now))
        found = self.reads.get(key)
        if found is None:
            found = self.ip.native(views.seen, now, way)
            self.contents[id(found)] = (found, v)
            if isinstance(now, Node) and found.graph is now.graph:
                self.reads[key] = found
        return found

    def written(self, root, way: Way, new: Node) -> Node:
        """What ``root`` holds where its view holds ``new``."""
        return self.ip.native(views.written, self.ip.node(root), way, new)

    def hold(self, v, new: Node, root) -> None:
        """``v`` holds ``new``, and that was written into its root."""
        now = self.content(root)
        if new.graph is now.graph:
            self.contents[id(new)] = (new, v)
            self.reads[id(v), id(now)] = new
