"""Networks for images' classes. Counts are of what is trained."""

import dataclasses

from table import Row, Small, images, labelled

from minds import ops

TINY = {"num_classes": 4}


def family(source: str, counts: dict[str, int], small: Small | None, size: int = 224) -> list[Row]:
    """Rows of constructors whose images are ``size`` high and wide; the first has ``small``."""
    return [
        Row(name, count, source, images(1, 3, size, size), (1, 1000), None if i else small)
        for i, (name, count) in enumerate(counts.items())
    ]


def trained(size: int, rate: float = 1e-3, count: int = 4, **settings) -> Small:
    return Small({**TINY, **settings}, labelled(count, 3, size, size), rate=rate)


def of_both_heads(logits, labels):
    return ops.cross_entropy(logits[0], labels) + ops.cross_entropy(logits[1], labels)


TRANSFORMED = trained(32, image_size=32, patch=8, width=16, heads=2, layers=2, drop_path=0.0)
TORCHVISION, TIMM = "torchvision 0.29", "timm 1.0.31"

ROWS = [
    Row(
        "lenet5",
        61_706,
        "LeCun et al. 1998 with all maps connected",
        images(1, 1, 32, 32),
        (1, 10),
        Small(TINY, labelled(8, 1, 32, 32)),
    ),
    *family(TORCHVISION, {"alexnet": 61_100_840}, trained(64, hidden=16, dropout=0.0)),
    *family(
        TORCHVISION,
        {
            "vgg11": 132_863_336,
            "vgg13": 133_047_848,
            "vgg16": 138_357_544,
            "vgg19": 143_667_240,
        },
        trained(32, 3e-4, hidden=16, widths=(8, 8, 16, 16, 16), dropout=0.0),
    ),
    *family(
        TORCHVISION,
        {
            "vgg11_bn": 132_868_840,
            "vgg13_bn": 133_053_736,
            "vgg16_bn": 138_365_992,
            "vgg19_bn": 143_678_248,
        },
        trained(32, hidden=16, widths=(8, 8, 16, 16, 16), dropout=0.0),
    ),
    *family(TORCHVISION, {"googlenet": 6_624_904}, trained(32, 1e-4, dropout=0.0)),
    *family(TORCHVISION, {"inception_v3": 23_834_568}, trained(75, dropout=0.0), 299),
    *family(TIMM, {"inception_v4": 42_679_816}, trained(75, dropout=0.0, depths=(1, 1, 1)), 299),
    *family(
        TORCHVISION,
        {
            "resnet18": 11_689_512,
            "resnet34": 21_797_672,
            "resnet50": 25_557_032,
            "resnet101": 44_549_160,
            "resnet152": 60_192_808,
        },
        trained(64, layers=(1, 1, 1, 1), width=8),
    ),
    *family(
        TORCHVISION,
        {
            "resnext50_32x4d": 25_028_904,
            "resnext101_32x8d": 88_791_336,
            "resnext101_64x4d": 83_455_272,
        },
        trained(64, layers=(1, 1, 1, 1), width=16, groups=4, group_width=16),
    ),
    *family(TORCHVISION, {"wide_resnet50_2": 68_883_240, "wide_resnet101_2": 126_886_696}, None),
    *family(
        TIMM,
        {
            "se_resnet18": 11_779_624,
            "se_resnet34": 21_960_416,
            "se_resnet50": 28_088_024,
            "se_resnet101": 49_326_872,
            "se_resnet152": 66_821_848,
        },
        trained(64, layers=(1, 1, 1, 1), width=8),
    ),
    *family(
        TIMM,
        {
            "res2net50_26w_4s": 25_699_120,
            "res2net50_48w_2s": 25_287_304,
            "res2net50_14w_8s": 25_059_816,
            "res2net50_26w_6s": 37_051_448,
            "res2net50_26w_8s": 48_403_776,
            "res2net101_26w_4s": 45_206_688,
        },
        trained(64, layers=(1, 2, 1, 1), width=8),
    ),
    *family(
        TORCHVISION,
        {
            "densenet121": 7_978_856,
            "densenet161": 28_681_000,
            "densenet169": 14_149_480,
            "densenet201": 20_013_928,
        },
        trained(64, layers=(2, 2), growth=8, stem=16),
    ),
    *family(
        TORCHVISION,
        {"squeezenet1_1": 1_235_496, "squeezenet1_0": 1_248_424},
        trained(64, 2e-4, dropout=0.0),
    ),
    *family(
        "the paper's 1.9 M; the convolutions' sizes in its table 1",
        {
            "shufflenet_v1_g3_x0_5": 718_888,
            "shufflenet_v1_g3_x1_0": 1_865_728,
            "shufflenet_v1_g3_x1_5": 3_442_168,
            "shufflenet_v1_g3_x2_0": 5_448_208,
            "shufflenet_v1_g8_x1_0": 2_434_768,
        },
        trained(64, layers=(2, 1)),
    ),
    *family(
        TORCHVISION,
        {
            "shufflenet_v2_x0_5": 1_366_792,
            "shufflenet_v2_x1_0": 2_278_604,
            "shufflenet_v2_x1_5": 3_503_624,
            "shufflenet_v2_x2_0": 7_393_996,
        },
        trained(64, layers=(2, 2, 2), widths=(8, 16, 16, 16, 32)),
    ),
    *family(
        "Keras 2.15's MobileNet",
        {
            "mobilenet_v1_025": 470_072,
            "mobilenet_v1_050": 1_331_592,
            "mobilenet_v1_075": 2_585_560,
            "mobilenet_v1_100": 4_231_976,
        },
        trained(64),
    ),
    *family(TORCHVISION, {"mobilenet_v2": 3_504_872}, trained(64, multiplier=0.25, dropout=0.0)),
    *family(TIMM, {"mobilenet_v2_075": 2_636_424, "mobilenet_v2_140": 6_108_776}, None),
    *family(
        TORCHVISION,
        {"mobilenet_v3_small": 2_542_856, "mobilenet_v3_large": 5_483_032},
        trained(64, dropout=0.0, hidden=32),
    ),
    *family(
        TORCHVISION,
        {
            "mnasnet0_5": 2_218_512,
            "mnasnet0_75": 3_170_208,
            "mnasnet1_0": 4_383_312,
            "mnasnet1_3": 6_282_256,
        },
        trained(64, alpha=0.25, dropout=0.0),
    ),
    *family(
        TORCHVISION,
        {
            "efficientnet_b0": 5_288_548,
            "efficientnet_b1": 7_794_184,
            "efficientnet_b2": 9_109_994,
            "efficientnet_b3": 12_233_232,
            "efficientnet_b4": 19_341_616,
            "efficientnet_b5": 30_389_784,
            "efficientnet_b6": 43_040_704,
            "efficientnet_b7": 66_347_960,
        },
        trained(64, width=0.5, depth=0.1, dropout=0.0, drop_path=0.0),
    ),
    *family(
        TIMM,
        {"ghostnet_050": 2_587_292, "ghostnet_100": 5_182_508, "ghostnet_130": 7_358_820},
        trained(64, width=0.25, dropout=0.0),
    ),
    *family(TIMM, {"xception": 22_855_952}, trained(71, middle=0), 299),
    *family(
        TORCHVISION,
        {
            "regnet_x_400mf": 5_495_976,
            "regnet_x_800mf": 7_259_656,
            "regnet_x_1_6gf": 9_190_136,
            "regnet_x_3_2gf": 15_296_552,
            "regnet_x_8gf": 39_572_648,
            "regnet_x_16gf": 54_278_536,
            "regnet_x_32gf": 107_811_560,
        },
        trained(64, depth=4, slope=48.0),
    ),
    *family(
        TORCHVISION,
        {
            "regnet_y_400mf": 4_344_144,
            "regnet_y_800mf": 6_432_512,
            "regnet_y_1_6gf": 11_202_430,
            "regnet_y_3_2gf": 19_436_338,
            "regnet_y_8gf": 39_381_472,
            "regnet_y_16gf": 83_590_140,
            "regnet_y_32gf": 145_046_770,
        },
        trained(64, depth=4, slope=48.0),
    ),
    *family(
        "Keras 2.15's NASNetMobile",
        {"nasnet_mobile": 5_289_978},
        trained(64, layers=1, width=8, stem=8, dropout=0.0),
    ),
    *family(TIMM, {"nasnet_large": 88_753_150}, None, 331),
    *family(
        TORCHVISION,
        {
            "vit_b_16": 86_567_656,
            "vit_b_32": 88_224_232,
            "vit_l_16": 304_326_632,
            "vit_l_32": 306_535_400,
            "vit_h_14": 632_045_800,
        },
        TRANSFORMED,
    ),
    *family(
        TIMM,
        {
            "deit_tiny_distilled": 5_910_800,
            "deit_small_distilled": 22_436_432,
            "deit_base_distilled": 87_338_192,
            "deit_tiny": 5_717_416,
            "deit_small": 22_050_664,
            "deit_base": 86_567_656,
        },
        dataclasses.replace(TRANSFORMED, loss=of_both_heads),
    ),
    *family(
        TORCHVISION,
        {"swin_t": 28_288_354, "swin_s": 49_606_258, "swin_b": 87_768_224},
        trained(64, width=8, layers=(2, 2), heads=(2, 2), drop_path=0.0),
    ),
    *family(
        TORCHVISION,
        {
            "convnext_tiny": 28_589_128,
            "convnext_small": 50_223_688,
            "convnext_base": 88_591_464,
            "convnext_large": 197_767_336,
        },
        trained(64, widths=(8, 16), layers=(1, 1), drop_path=0.0, layer_scale=0.1),
    ),
    *family(
        TIMM,
        {
            "mlp_mixer_s_16": 18_528_264,
            "mlp_mixer_s_32": 19_104_624,
            "mlp_mixer_b_16": 59_880_472,
            "mlp_mixer_b_32": 60_293_428,
            "mlp_mixer_l_16": 208_196_168,
            "mlp_mixer_l_32": 206_939_264,
        },
        trained(32, image_size=32, patch=8, width=16, layers=2),
    ),
]
