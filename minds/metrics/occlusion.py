"""Which parts of an image a classification depends on."""

from __future__ import annotations

import math

import numpy as np

from ..base.errors import complain
from ..tensor import Tensor
from .base import Metric, as_array, rearrange_inputs, typed


class OcclusionSensitivity(Metric):
    """How far the score of a class falls when the surroundings of each element of an image are
    covered.

    Args:
        pad_val (float): what covers. Default 0.
        margin (int, tuple[int]): how far before and behind the element it reaches, in each
            dimension. Default 2.
        n_batch (int): how many covered images the network sees at once. Default 128.
        b_box (tuple[int]): the least and the largest index of each dimension that is examined; all
            by default.

    Raises:
        TypeError: an argument has another type.

    Source: Zeiler and Fergus, Visualizing and Understanding Convolutional Networks, 2014.

    Examples:
        >>> import numpy as np
        >>> from minds import nn
        >>> from minds.train import OcclusionSensitivity
        >>> net = nn.Dense(3, 1, weight_init="ones", bias_init="zeros")
        >>> metric = OcclusionSensitivity(margin=1)
        >>> metric.update(net, np.array([[1.0, 2.0, 4.0]], np.float32), 0)
        >>> metric.eval().tolist()
        [1.0, 3.0, 6.0]
    """

    def __init__(self, pad_val=0.0, margin=2, n_batch=128, b_box=None):
        super().__init__()
        typed("OcclusionSensitivity", "pad_val", pad_val, float)
        typed("OcclusionSensitivity", "n_batch", n_batch, int)
        if not isinstance(margin, (list, tuple)):
            typed("OcclusionSensitivity", "margin", margin, int)
        if b_box is not None and not isinstance(b_box, (list, tuple)):
            raise complain(
                TypeError,
                f"OcclusionSensitivity: b_box has type {type(b_box).__name__}",
                expected="a tuple",
            )
        self.pad_val, self.margin, self.n_batch, self.b_box = pad_val, margin, n_batch, b_box
        self.clear()

    def clear(self):
        """Forget what was found.

        Examples:
            >>> from minds import train
            >>> train.OcclusionSensitivity().clear()
        """
        self._found = None

    @rearrange_inputs
    def update(self, *inputs):
        """Examine one image.

        Args:
            inputs (Any ...): the network, a callable; the image with a batch dimension of 1, a
                Tensor or an array; its class, an int.

        Raises:
            ValueError: there are not three inputs, the bounds do not fit.
            TypeError: the network cannot be called, or the class is no int.
            RuntimeError: the batch is larger than 1.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> from minds import train
            >>> metric = train.OcclusionSensitivity(margin=1)
            >>> metric.update(nn.Dense(2, 1, "ones", "zeros"), ms.Tensor([[1.0, 2.0]]), 0)
            >>> print(metric.eval())
            [1. 3.]
        """
        if len(inputs) != 3:
            raise complain(
                ValueError,
                f"OcclusionSensitivity.update: {len(inputs)} inputs",
                expected="3 (network, image and class)",
            )
        model, image, label = inputs
        if not callable(model):
            raise complain(
                TypeError,
                f"OcclusionSensitivity.update: the network has type {type(model).__name__}",
                expected="a Cell",
            )
        image, label = as_array(image), as_array(label)
        if label.size != 1 or label.dtype.kind not in "iu":
            raise complain(
                TypeError, "OcclusionSensitivity.update: the class is no int", expected="one int"
            )
        if image.shape[0] != 1:
            raise complain(
                RuntimeError,
                f"OcclusionSensitivity.update: the batch has {image.shape[0]} images",
                expected="1",
            )
        shape, bounds = image.shape[1:], self._bounds(image.shape[1:])
        margins = (
            self.margin if isinstance(self.margin, (list, tuple)) else (self.margin,) * len(shape)
        )

        def score(images):
            out = as_array(model(Tensor(images)))
            return out.reshape(len(images), -1)[:, int(label.ravel()[0])]

        baseline = score(image)[0]
        sizes = [high - low + 1 for low, high in bounds]
        found = np.empty(math.prod(sizes), np.asarray(baseline).dtype)
        for start in range(0, len(found), self.n_batch):
            places = range(start, min(start + self.n_batch, len(found)))
            covered = np.repeat(image, len(places), 0)
            for row, place in enumerate(places):
                at = [
                    i + low
                    for i, (low, _) in zip(np.unravel_index(place, sizes), bounds, strict=True)
                ]
                covered[
                    (row, *(slice(max(i - m, 0), i + m) for i, m in zip(at, margins, strict=True)))
                ] = self.pad_val
            found[start : start + len(places)] = baseline - score(covered)
        self._found = found.reshape(sizes)

    def _bounds(self, shape: tuple) -> list:
        if self.b_box is None:
            return [(0, n - 1) for n in shape]
        pairs = list(zip(self.b_box[::2], self.b_box[1::2]))
        if len(self.b_box) != 2 * len(shape):
            raise complain(
                ValueError,
                f"OcclusionSensitivity: b_box has {len(self.b_box)} numbers",
                expected=f"two for each of {len(shape)} dimensions",
            )
        if any(not 0 <= low <= high < n for (low, high), n in zip(pairs, shape, strict=True)):
            raise complain(
                ValueError,
                f"OcclusionSensitivity: b_box is {self.b_box}",
                expected=f"within {shape}",
            )
        return pairs

    def eval(self):
        """The falls of the score, in the shape of the image.

        Returns:
            numpy.ndarray: of the shape of the image, or of the box, one number per element.

        Raises:
            RuntimeError: no image was examined.

        Examples:
            >>> import minds as ms
            >>> from minds import nn
            >>> from minds import train
            >>> metric = train.OcclusionSensitivity(margin=1)
            >>> print(metric(nn.Dense(2, 1, "ones", "zeros"), ms.Tensor([[1.0, 2.0]]), 0))
            [1. 3.]
        """
        if self._found is None:
            raise complain(
                RuntimeError,
                "OcclusionSensitivity.eval: nothing was examined",
                cure="call update first",
            )
        return self._found
