"""Dense layers in turn."""

from __future__ import annotations

from ... import nn


def dense_layers(inputs: int, layers: tuple, dropout: float = 0.0) -> nn.SequentialCell:
    """Dense layers of these sizes, each with ReLU, and dropout where there is some."""
    cells = []
    for outputs in layers:
        cells += [nn.Dense(inputs, outputs), nn.ReLU()]
        if dropout:
            cells.append(nn.Dropout(p=dropout))
        inputs = outputs
    return nn.SequentialCell(cells)
