"""`imshow_det_bbox`: boxes, masks and labels drawn on an image."""

from __future__ import annotations

import numpy as np

from ..base.errors import complain
from .vision.images import pillow


def _is(fits: bool, said: str, expected: str) -> None:
    if not fits:
        raise complain(AssertionError, f"imshow_det_bbox: {said}", expected=expected)


def _checked(image, bboxes, labels, segm, class_names, colors) -> None:
    _is(
        isinstance(image, np.ndarray)
        and image.ndim == 3
        and 3 in (image.shape[0], image.shape[-1]),
        "image is not an image",
        "an array (H, W, 3) or (3, H, W)",
    )
    boxes = isinstance(bboxes, np.ndarray) and bboxes.ndim == 2 and bboxes.shape[1] in (4, 5)
    _is(boxes, "bboxes has a wrong form", "an array (N, 4) or (N, 5)")
    named = isinstance(labels, np.ndarray) and labels.shape == (len(bboxes), 1)
    _is(named, "labels has a wrong form", "an array (N, 1)")
    fits = segm is None or isinstance(segm, np.ndarray) and segm.ndim == 3
    _is(fits, "segm has a wrong form", "an array (M, H, W)")
    fits = class_names is None or isinstance(class_names, (list, tuple, dict))
    _is(fits, f"class_names is {class_names!r}", "a list, a tuple or a dict")
    for name, color in colors.items():
        fits = isinstance(color, tuple) and len(color) == 3 and all(0 <= c <= 255 for c in color)
        _is(fits, f"{name} is {color!r}", "a tuple of blue, green and red")


def imshow_det_bbox(
    image,
    bboxes,
    labels,
    segm=None,
    class_names=None,
    score_threshold=0,
    bbox_color=(0, 255, 0),
    text_color=(203, 192, 255),
    mask_color=(128, 0, 128),
    thickness=2,
    font_size=0.8,
    show=True,
    win_name="win",
    wait_time=2000,
    out_file=None,
):
    """Draw boxes with their labels and scores on an image, by Pillow.

    Args:
        image (numpy.ndarray): (H, W, 3) or (3, H, W), of red, green and blue.
        bboxes (numpy.ndarray): (N, 4) or (N, 5): x, y, width and height of each box, and its score.
        labels (numpy.ndarray): (N, 1), the number of each box's class.
        segm (numpy.ndarray, optional): masks of the boxes, (M, H, W). Default: ``None``.
        class_names (list[str], tuple[str], dict, optional): the names of classes by number.
        score_threshold (float): boxes with less are left out. Default: 0.
        bbox_color (tuple[int]), text_color (tuple[int]), mask_color (tuple[int]): blue, green and red.
        thickness (int): of lines. Default: 2.
        font_size (float): of texts; 1 is 30 pixels high. Default: 0.8.
        show (bool): whether it is shown in a window, where there is one. Default: ``True``.
        win_name (str): the window's title. Default: ``"win"``.
        wait_time (int): accepted; Pillow's window stays open.
        out_file (str, optional): the file to write.

    Returns:
        numpy.ndarray: (H, W, 3), the image with what was drawn.

    Raises:
        AssertionError: an argument has a wrong form.
        RuntimeError: Pillow is not installed.

    Examples:
        >>> import numpy as np
        >>> from minds.dataset.utils import imshow_det_bbox
        >>> boxes, labels = np.array([[1, 1, 5, 5, 0.9]]), np.array([[0]])
        >>> made = imshow_det_bbox(np.zeros((16, 16, 3), np.uint8), boxes, labels, show=False)
        >>> made[1, 3].tolist()
        [0, 255, 0]
    """
    colors = {"bbox_color": bbox_color, "text_color": text_color, "mask_color": mask_color}
    _checked(image, bboxes, labels, segm, class_names, colors)
    pillow_ = pillow()
    from_channels = image.shape[-1] != 3
    pixels = np.ascontiguousarray(image.transpose(1, 2, 0) if from_channels else image)
    kept = np.ones(len(bboxes), bool)
    if bboxes.shape[1] == 5:
        kept = bboxes[:, 4] >= score_threshold
    pixels = _masked(pixels.astype(np.uint8), segm, kept, mask_color[::-1])
    drawn = pillow_.Image.fromarray(pixels)
    _draw(
        drawn, bboxes[kept], labels[kept], class_names, bbox_color, text_color, thickness, font_size
    )
    if out_file is not None:
        drawn.save(out_file)
    if show:
        drawn.show(win_name)
    return np.asarray(drawn)


def _masked(pixels: np.ndarray, segm, kept: np.ndarray, color: tuple) -> np.ndarray:
    """The image with half of ``color`` where a mask of a box that is kept is."""
    if segm is None:
        return pixels
    chosen = segm[kept] if len(segm) == len(kept) else segm
    inside = chosen.astype(bool).any(0)
    mixed = (pixels[inside].astype(np.float32) + np.array(color, np.float32)) / 2
    pixels = pixels.copy()
    pixels[inside] = mixed.astype(np.uint8)
    return pixels


def _draw(drawn, bboxes, labels, names, box_color, text_color, thickness: int, font_size) -> None:
    draw, font = pillow().ImageDraw.Draw(drawn), pillow().ImageFont.load_default(30 * font_size)
    for box, (label,) in zip(bboxes, labels):
        x, y, width, height = (int(v) for v in box[:4])
        draw.rectangle((x, y, x + width, y + height), None, tuple(box_color[::-1]), thickness)
        said = f"class {label}" if names is None else str(names[int(label)])
        said += f"|{box[4]:.2f}" if len(box) == 5 else ""
        draw.text((x, y - 2), said, tuple(text_color[::-1]), font, "ls")


__all__ = ["imshow_det_bbox"]
