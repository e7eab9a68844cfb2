"""Parallel paths of convolutions, of which the Inception networks consist.

A step is what a path goes through: called with a number of channels it gives a cell and how many come out.
"""

from __future__ import annotations

from collections.abc import Callable

from ... import nn, ops
from ..parts.vision import conv, named

Step = Callable[[int], tuple[nn.Cell, int]]


def unit(inputs: int, outputs: int, size=1, stride: int = 1, padding=0) -> nn.SequentialCell:
    """Convolution, normalisation with these networks' epsilon, ReLU."""
    return named(
        conv=conv(inputs, outputs, size, stride, padding),
        bn=nn.BatchNorm2d(outputs, 1e-3),
        relu=nn.ReLU(),
    )


def same(outputs: int, size=1) -> Step:
    """A unit that keeps height and width."""
    return lambda inputs: (unit(inputs, outputs, size, padding=None), outputs)


def valid(outputs: int, size=3, stride: int = 1) -> Step:
    """A unit without padding."""
    return lambda inputs: (unit(inputs, outputs, size, stride), outputs)


def average(include_zeros: bool) -> Step:
    """The mean of 3×3 places, of which those outside count as zeros or do not."""
    return lambda inputs: (
        nn.AvgPool2d(3, 1, "pad", 1, count_include_pad=include_zeros),
        inputs,
    )


def largest(stride: int = 2) -> Step:
    """The maximum of 3×3 places; with stride 1 it keeps height and width."""
    return lambda inputs: (nn.MaxPool2d(3, stride, "pad", 1 if stride == 1 else 0), inputs)


def chain(*steps: Step) -> Step:
    """A sequence as one step."""

    def make(channels):
        cells = []
        for step in steps:
            cell, channels = step(channels)
            cells.append(cell)
        return nn.SequentialCell(cells), channels

    return make


class Fork(nn.Cell):
    """Paths beside each other, and what they give joined along the channels.

    Args:
        inputs (int): channels that come in; ``channels`` is how many come out.
        paths (dict[str, list]): by name the steps of a path; the last may be a dict of several that all go
            on from the one before. A path of one cell with parameters has its name, of several
            ``name_1``, ``name_2``, those of a dict with their key behind.
        first (int): the number of a path's first cell. Default 1.
    """

    def __init__(self, inputs: int, paths: dict[str, list], first: int = 1):
        super().__init__()
        self.channels, made = 0, []
        for name, steps in paths.items():
            channels, lead = inputs, []
            *leading, last = steps
            alone = not any(isinstance(s, dict) for s in steps) and len(steps) <= 2
            for i, step in enumerate(leading, first):
                cell, channels = step(channels)
                lead.append(cell)
                if cell.name_cells():
                    self.insert_child_to_cell(f"{name}_{i}", cell)
                    alone = False
            ends = []
            for key, step in (last if isinstance(last, dict) else {"": last}).items():
                cell, outputs = step(channels)
                ends.append(cell)
                self.channels += outputs
                if cell.name_cells():
                    numbered = f"{name}_{len(leading) + first}{key}"
                    self.insert_child_to_cell(name if alone else numbered, cell)
            made.append((tuple(lead), tuple(ends)))
        self.paths = tuple(made)

    def construct(self, x):
        joined = []
        for lead, ends in self.paths:
            y = x
            for cell in lead:
                y = cell(y)
            for cell in ends:
                joined.append(cell(y))
        return ops.cat(joined, 1)
