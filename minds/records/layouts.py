"""Examples of a TFRecord file by where the last ones of their length had their values.

Most records of a file have one layout: the same features, with as many elements. What a message consists of
is said by all its bytes but those of the values, so a record whose other bytes are those of a known one has
its values in the same places; nothing else of it need be read.
"""

from __future__ import annotations

from . import tfrecord, wire

_MOST = 256  # layouts that are known of a file


class Examples:
    """Reads the features of records, as `tfrecord.example` does.

    Args:
        wanted (set, optional): the names to read. Default: all.
    """

    def __init__(self, wanted=None):
        self._wanted, self._known = wanted, {}

    def __call__(self, record: tfrecord.Record) -> dict:
        data, begin = record.data, record.begin
        layout = self._known.get(record.end - begin)
        if layout is not None:
            rest, values = layout
            for a, b, same in rest:
                if data[begin + a : begin + b] != same:
                    break
            else:
                return {name: read(data, begin, places) for name, read, places in values}
        found = tfrecord.example(record, self._wanted)
        if layout is None and len(self._known) < _MOST:
            self._known[record.end - begin] = _layout(record, self._wanted)
        return found


def _layout(record: tfrecord.Record, wanted) -> tuple | None:
    """The bytes that are no values, (begin, end, bytes) each, and the values, (name, how they are read,
    where they are); None: it is none of the usual ones. All places count from the record's begin.
    """
    data, begin, values, holes = record.data, record.begin, {}, []
    for name, value in tfrecord.named_features(record):
        if value is None or name in values:
            return None
        if wanted is not None and name not in wanted:
            holes.append(value)
            continue
        found = _value(data, *value)
        if found is None:
            return None
        values[name] = found
        holes += found[1]
    rest, at = [], begin
    for a, b in sorted(holes):
        rest.append((at - begin, a - begin, data[at:a]))
        at = b
    rest.append((at - begin, record.end - begin, data[at : record.end]))
    placed = [
        (name, read, [(a - begin, b - begin) for a, b in places])
        for name, (read, places) in values.items()
    ]
    return rest, placed


def _value(data: bytes, at: int, end: int) -> tuple | None:
    """How a feature is read, and the places of its values; None where they are not packed."""
    lists = list(wire.fields(data, at, end))
    if len(lists) != 1 or lists[0][1] != 2 or lists[0][0] not in _READ:
        return None
    kind, _, a, b = lists[0]
    parts = list(wire.fields(data, a, b))
    if any(number != 1 or wired != 2 for number, wired, _, _ in parts):
        return None
    if kind != 1 and len(parts) != 1:
        return None
    return _READ[kind], [(c, d) for _, _, c, d in parts]


def _bytes(data: bytes, begin: int, places: list) -> list:
    return [data[begin + a : begin + b] for a, b in places]


def _floats(data: bytes, begin: int, places: list):
    a, b = places[0]
    return wire.floats(data, begin + a, begin + b)


def _wholes(data: bytes, begin: int, places: list):
    a, b = places[0]
    return wire.varints(data, begin + a, begin + b)


_READ = {1: _bytes, 2: _floats, 3: _wholes}
