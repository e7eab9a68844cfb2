"""Tensors that are changed in place.

A tensor's identity is the node, or the tensor known now, that variables hold. What it holds is
that itself until it is changed, as by ``x[i] = v``; from then on it is the item of its `Box`, a
list of one item in the store. So every name, container and function that has the tensor sees the
change, and where paths meet its contents are joined like those of a list.

Where paths meet that hold different tensors in one place, the new node may be any of them: one
identity that may be several. After a change of a tensor, those that may be the same cannot be read:
an alias is right or refused.
"""

from __future__ import annotations

from ..base.errors import ParseError, complain
from ..ir.abstract import AbstractTensor
from ..ir.node import Constant, Node
from ..ops.define import P
from ..tensor import Parameter, Tensor
from .function_types import Missing
from .store import Bindings, clock
from .structure import mapped
from .value_types import CONTAINERS, Box
from .views import Views


class Tensors:
    """Those of one compilation.

    Attributes:
        boxes: identity → its box.
        unions: identity of a node → (the node, the tensors that it may be, since when).
        written: identity → (the tensor through which it may have been changed, when, why it cannot
            be read): per path.
        log: the identities that may have been changed, on whatever path.
        arguments: the tensors among the arguments, which the program changes for its caller.
        constant: the nodes of arguments that are constants to `GradOperation`.
        numbers: nodes of bools that it differentiates by, each with the numbers that it is made of.
        arrays: whether arrays have boxes too.
        views: which tensors share the elements of others.
        changing: whether some tensor does not hold itself, or what it was made from.
        parameters, chosen: those of the interpreter, and of these what the run chooses.
        held: by identity, the tensors that cannot be changed, why, the cure, and what else there may
            be: functions or lists of the run hold them.
    """

    def __init__(self, ip):
        self.store, self.views, self.changing = ip.store, Views(ip), False
        self.parameters, self.chosen = ip.parameters, ip.parameters.chosen
        self.boxes: dict[int, Box] = {}
        self.unions: dict[int, tuple] = {}
        self.written = Bindings(ip.store)
        self.log: list[int] = []
        self.arguments: list = []
        self.constant: set = set()
        self.numbers: dict = {}
        self.held: dict = {}
        self.arrays = False

    def present(self, v):
        """What a tensor holds now.

        Raises:
            ParseError: that is not known.
        """
        of = v.value if type(v) is Constant else v
        if id(of) in self.chosen.of:
            return self.chosen.read(of)
        box = self.boxes.get(id(of))
        if self.written:
            why = self.stale(of)
            if why is not None:
                raise complain(
                    ParseError,
                    f"this tensor cannot be used any more: {why}, depending on run-time data",
                    cure="copy it before the condition or loop that chooses between them: x.copy()",
                )
        if box is not None:
            return v if box[0] is of else box[0]
        return self.views.present(v) if id(of) in self.views.ways else v

    def stale(self, v) -> str | None:
        """Why ``v`` cannot be read: what may be the same tensor was changed after it was made."""
        if not self.written or not isinstance(v, (Node, Tensor)):
            return None
        v = self.views.root(v)
        if id(v) in self.chosen.of:
            return None
        since = self.unions[id(v)][2] if id(v) in self.unions else 0
        for identity in self.family(v):
            writer, when, why = self.written.get(identity, (v, 0, ""))
            if writer is not v and when > since:
                if identity in self.parameters.refs:
                    self.chosen.expect_known()
                return why
        return None

    @staticmethod
    def missing(name: str, why: str) -> Missing:
        """What stands for a variable that cannot be read."""
        return Missing(
            ParseError,
            f"{name!r} cannot be used any more: {why}, depending on run-time data",
            f"copy it before the condition or loop: {name} = {name}.copy()",
        )

    def may_be(self, node, alike) -> None:
        """``node`` is, when the program runs, one of these tensors."""
        if isinstance(node.abstract, AbstractTensor):
            self.views.forget(node)
            self.unions[id(node)] = (node, alike, clock())

    def may_be_parameter(self, v) -> bool:
        """Whether ``v`` is a tensor that may be a parameter."""
        refs = self.parameters.refs
        return id(v) in self.unions and any(identity in refs for identity in self.family(v))

    def may_be_among(self, params) -> list:
        """The identities of what may be one of these parameters (their identities)."""
        found = [k for k in self.unions if params and not self.families([k]).isdisjoint(params)]
        if found:
            self.chosen.expect_known()
        return [k for k in found if k in self.chosen.of]

    def family(self, v) -> set:
        """The identities of the tensors that ``v`` may be."""
        return self.families([id(v)])

    def families(self, identities) -> set:
        """The identities of the tensors that those with these may be."""
        found, stack = set(), list(identities)
        while stack:
            identity = stack.pop()
            if identity not in found:
                found.add(identity)
                stack += map(id, self.unions.get(identity, (None, ()))[1])
                if identity in self.views.ways:
                    stack.append(id(self.views.ways[identity][1]))
        return found

    def box(self, v) -> Box:
        """The box of a tensor."""
        found = self.boxes.get(id(v))
        if found is None:
            found = self.boxes[id(v)] = Box([v], v, self.views.contents)
            self.changing = True
        return found

    def set(self, v, new) -> None:
        """``v`` holds ``new`` from now on, which differs for derivatives only."""
        self.store.set(self.box(v), [new])

    def known(self, v):
        """``v`` with the arrays that it holds as they are now."""
        if not self.arrays or isinstance(v, (Node, Tensor)):
            return v
        if id(v) in self.boxes:
            return self.boxes[id(v)][0]
        return mapped(v, self.known) if type(v) is tuple or type(v) in CONTAINERS else v

    def replace(self, old, new) -> None:
        """``new`` is an array that stands for ``old`` from now on."""
        self.arrays = True
        box = self.boxes[id(new)] = self.box(old)
        self.store.set(box, [new])

    def change(self, ip, v, new: Node) -> None:
        """``v``, which is no parameter that is known now, holds ``new`` from now on."""
        if id(v) in self.chosen.of:
            self.chosen.each(v, lambda p: ip.write(p, new))
            return
        ip.imports.expect_own(v)
        identities = self._changeable(ip, v, v)
        if v in ip.parameters.made:
            new = ip.native(P.stop_gradient, new)
        if new is not ip.builder.graph.tail:
            new = ip.native(P.reshape, new, new.shape)  # what is a tensor of its own stays that
        self.views.forget(new)
        self.set(v, new)
        self.log += identities
        self.note_written(ip, v, identities)

    def note_written(self, ip, v, identities) -> None:
        """``v``, which may be any of these tensors, is changed here."""
        if self.unions:
            why = f"line {ip.here().line} changes a tensor that may be the same"
            self.written.update(dict.fromkeys(identities, (v, clock(), why)))

    def _changeable(self, ip, v, known) -> set:
        """The identities of what ``v``, which is changed, may be.

        Raises:
            ParseError: a function that is a value of the run holds it, or got it; or it may be a
                Parameter, or an argument other than ``known``, depending on run-time data.
        """
        identities = self.family(v)
        for held, why, cure, *_ in self.held.values():
            if id(held) in identities or id(self.views.root(held)) in identities:
                raise complain(ParseError, f"the tensor changed here {why}", cure=cure)
        chosen = [p.name for p in ip.parameters.found if id(p) in identities]
        if chosen:
            self.chosen.expect_known()
            raise complain(
                ParseError,
                f"the tensor changed here may be the Parameter {' or '.join(chosen)} or another "
                "tensor, depending on run-time data",
                cure="change each of them where it is chosen, under the condition",
            )
        if any(id(a) in identities for a in self.arguments if a is not known):
            raise complain(
                ParseError,
                "the tensor changed here may be an argument of the compiled function, depending on "
                "run-time data",
                cure="copy it before the condition or loop: x = x.copy()",
            )
        return identities

    def join(self, paths: list[dict]) -> None:
        """What was changed on any of these paths; the store is where they went on from."""
        before, found = dict(self.written), {}
        for held in paths:
            for identity, entry in held.items():
                if before.get(identity) is not entry:
                    writer = found.get(identity, entry)[0]
                    found[identity] = (writer if writer is entry[0] else None, *entry[1:])
        if found:
            self.written.update(found)

    def lose(self, ip, v, why: str) -> None:
        """``v`` was changed, and what it holds now is not known."""
        if isinstance(v, (Node, Tensor)) and not isinstance(v, Parameter):
            identities = self._changeable(ip, v, None)
            self.log += identities
            self.written.update(dict.fromkeys(identities, (None, clock(), why)))

    def stored(self) -> list[int]:
        """The numbers of the arguments that the program changes."""
        changed = set(self.log)
        return [
            i for i, a in enumerate(self.arguments) if id(a) in changed and self.box(a)[0] is not a
        ]
