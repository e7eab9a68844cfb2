"""Where a transformation emits: a graph of its own, in which nodes may stand for parameters."""

from __future__ import annotations

from contextlib import contextmanager

from ..frontend import region
from ..frontend.emit import EmitBuilder
from ..ir import build


@contextmanager
def scope(ip, graph, stand_ins: dict, returned=()):
    """Emit into ``graph``, where ``stand_ins`` (by identity) stand for parameters. It also returns
    what the lists and dicts ``returned`` hold.
    """
    loaded, outer = dict(ip.parameters.loaded), ip.parameters.stand_ins
    ip.parameters.stand_ins = {**outer, **stand_ins}
    replaced = {*stand_ins, *ip.tensors.may_be_among(stand_ins)}
    ip.parameters.loaded.replace((k, n) for k, n in loaded.items() if k not in replaced)
    builder = EmitBuilder(ip, graph)
    try:
        with ip.inside(builder), build.building(builder), region.enclosed(ip, returned=returned):
            yield builder
    finally:
        # What was written inside must be read anew.
        now, kept = ip.parameters.loaded, stand_ins.keys() - ip.parameters.written
        now.replace([(k, n) for k, n in loaded.items() if now.get(k) is n or k in kept])
        ip.parameters.stand_ins = outer


@contextmanager
def derived(ip, graph):
    """``graph`` is differentiated, of which what is interpreted inside becomes the body."""
    ip.activations.derived.append(graph)
    try:
        yield
    finally:
        ip.activations.derived.pop()


__all__ = ["derived", "scope"]
