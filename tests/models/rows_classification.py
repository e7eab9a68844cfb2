"""Networks for images' classes. Counts are of what is trained."""

from table import Row, Small, images, labelled

ROWS = [
    Row(
        "lenet5",
        61_706,
        "LeCun et al. 1998 with all maps connected",
        images(1, 1, 32, 32),
        (1, 10),
        Small({"num_classes": 4}, labelled(8, 1, 32, 32)),
    ),
]
