"""CRC-32C of many records at once, by NumPy: all of them are advanced by a byte at a time.

A record is cut into segments, of which the first is short and the others have one length. The CRC of a
record follows from those of its segments, because the step over a segment's length of zeros is linear.

Source: Castagnoli et al., Optimization of Cyclic Redundancy-Check Codes with 24 and 32 Parity Bits, 1993.
"""

from __future__ import annotations

import numpy as np

_SEGMENT = 256


def _table() -> np.ndarray:
    crc = np.arange(256, dtype=np.uint32)
    for _ in range(8):
        crc = np.where(crc & 1, (crc >> 1) ^ np.uint32(0x82F63B78), crc >> 1)
    return crc


_TABLE = _table()


def _zeros() -> np.ndarray:
    """For each byte of a CRC's state, what it becomes behind a segment of zeros."""
    states = (
        np.arange(256, dtype=np.uint32)[None, :] << (8 * np.arange(4, dtype=np.uint32))[:, None]
    )
    states = states.astype(np.uint32)
    for _ in range(_SEGMENT):
        states = _TABLE[states & 0xFF] ^ (states >> 8)
    return states


_OVER = _zeros()


def crc32c(data: np.ndarray, begins: np.ndarray, ends: np.ndarray) -> np.ndarray:
    """The CRC-32C of each part of ``data``.

    Args:
        data (numpy.ndarray): uint8.
        begins (numpy.ndarray): where parts begin.
        ends (numpy.ndarray): where they end.

    Returns:
        numpy.ndarray: uint32.
    """
    begins, ends = np.asarray(begins, np.int64), np.asarray(ends, np.int64)
    lengths = ends - begins
    heads = lengths % _SEGMENT
    state = _advance(data, begins, heads, np.full(len(begins), 0xFFFFFFFF, np.uint32))
    counts = lengths // _SEGMENT
    if not counts.any():
        return ~state
    # All whole segments of all records begin from zero; their CRCs are put together afterwards.
    firsts = np.concatenate([[0], np.cumsum(counts)[:-1]])
    of = np.repeat(np.arange(len(counts)), counts)
    number = np.arange(len(of)) - firsts[of]
    places = (begins + heads)[of] + number * _SEGMENT
    whole = np.full(len(of), _SEGMENT)
    segments = _advance(data, places, whole, np.zeros(len(of), np.uint32))
    for i in range(int(counts.max())):
        some = np.flatnonzero(counts > i)
        s = state[some]
        s = _OVER[0][s & 255] ^ _OVER[1][s >> 8 & 255] ^ _OVER[2][s >> 16 & 255] ^ _OVER[3][s >> 24]
        state[some] = s ^ segments[firsts[some] + i]
    return ~state


def _advance(data, begins, lengths, state) -> np.ndarray:
    """The states behind ``lengths`` bytes that begin at ``begins``; the longest come first while it runs."""
    if not len(begins):
        return state
    order = np.argsort(-lengths, kind="stable")
    places, state = begins[order], state[order]
    active = np.searchsorted(-lengths[order], -np.arange(int(lengths.max())), side="left")
    for i, n in enumerate(active.tolist()):
        s = state[:n]
        state[:n] = _TABLE[(s ^ data[places[:n] + i]) & 0xFF] ^ (s >> 8)
    made = np.empty_like(state)
    made[order] = state
    return made


def masked(crc: np.ndarray) -> np.ndarray:
    """A CRC as TFRecord stores it."""
    crc = crc.astype(np.uint32)
    return ((crc >> np.uint32(15)) | (crc << np.uint32(17))) + np.uint32(0xA282EAD8)
