"""Networks for recommendation, graphs, generation, speech and reinforcement."""

from __future__ import annotations

import numpy as np
from table import Row, Small, images

from minds import Tensor, ops
from minds.models.generative.cyclegan import judges_loss
from minds.models.generative.ddpm import Diffusion
from minds.models.generative.vae import vae_loss
from minds.models.reinforcement.ppo import ppo_loss
from minds.models.speech.ctc import ctc_loss


def numbers(rng, *shape: int) -> Tensor:
    return Tensor(rng.uniform(0, 1, shape).astype(np.float32))


def whole_numbers(rng, below: int, *shape: int) -> Tensor:
    return Tensor(rng.randint(0, below, shape).astype(np.int32))


def clicks(rng):
    return (whole_numbers(rng, 50, 16, 5), numbers(rng, 16, 5)), (numbers(rng, 16).round(),)


def meetings(rng):
    return (whole_numbers(rng, 9, 16), whole_numbers(rng, 9, 16)), (numbers(rng, 16).round(),)


def graph(rng):
    edges = rng.randint(0, 12, (2, 30)).astype(np.int32)
    return (numbers(rng, 12, 6), Tensor(edges)), (whole_numbers(rng, 3, 12),)


def cora(rng):
    return numbers(rng, 30, 1433), Tensor(rng.randint(0, 30, (2, 90)).astype(np.int32))


def itself(*shape: int):
    """Something that a network shall give back."""

    def draw(rng):
        x = numbers(rng, *shape)
        return (x,), (x,)

    return draw


def one_picture(rng):
    """The same picture of black and white several times."""
    x = Tensor(np.tile(rng.randint(0, 2, 16).astype(np.float32), (8, 1)))
    return (x,), (x,)


def noise(rng):
    return (numbers(rng, 4, 10),), (numbers(rng, 4, 1, 16, 16),)


def noisy(rng):
    x, times, told = Diffusion(10).noisy(
        rng.uniform(-1, 1, (4, 1, 8, 8)), np.random.default_rng(rng.randint(9))
    )
    return (x, times), (told,)


def speech(time: int, bins: int, out: int):
    """Spectrograms, what was said, and how long both are."""

    def draw(rng):
        lengths = Tensor(np.full(3, out, np.int32)), Tensor(np.array([2, 1, 2], np.int32))
        return (numbers(rng, 3, bins, time),), (
            Tensor(rng.randint(1, 6, (3, 2)).astype(np.int32)),
            *lengths,
        )

    return draw


def actions(rng):
    return (numbers(rng, 16, 3),), (whole_numbers(rng, 4, 16), numbers(rng, 16))


def played(rng):
    return (numbers(rng, 16, 3),), (
        whole_numbers(rng, 4, 16),
        -numbers(rng, 16),
        numbers(rng, 16),
        numbers(rng, 16),
    )


def said_loss(values, chosen, wanted):
    """The error of the values of what was done."""
    said = ops.gather_elements(values, 1, ops.expand_dims(chosen, 1))
    return ops.mse_loss(ops.squeeze(said, 1), wanted)


def doubt_loss(said):
    return judges_loss(said[:1], said[1:])


BCE, MSE = ops.binary_cross_entropy_with_logits, ops.mse_loss
TINY_GAN = {"width": 2, "channels": 1, "size": 16}
LAYERS = {"vocabulary": 50, "fields": 5, "width": 4, "layers": (16, 8)}
GRAPH = {"inputs": 6, "num_classes": 3, "dropout": 0.0}
ROWS = [
    Row("wide_deep", 20_085_058, "200000·(80+1) + 3120·1024 + … + 128 + 2",
        lambda rng: (whole_numbers(rng, 9, 2, 39),), (2,), Small(LAYERS, clicks, BCE)),
    Row("deepfm", 2_677_602, "200000·(10+1) + 390·400 + 2·400·400 + 400 + 3·400 + 2",
        lambda rng: (whole_numbers(rng, 9, 2, 39),), (2,), Small({**LAYERS, "dropout": 0.0}, clicks, BCE)),
    Row("ncf", 392_601, "(6040+3706)·(8+32) + 64·32 + 32·16 + 16·8 + 56 + 16 + 1",
        lambda rng: meetings(rng)[0], (16,), Small({"users": 9, "items": 9}, meetings, BCE)),
    Row("gcn", 23_063, "Kipf and Welling 2017: 1433·16 + 16 + 16·7 + 7", cora, (30, 7),
        Small(GRAPH, graph)),
    Row("gat", 92_373, "PyTorch Geometric: 1433·64 + 3·64 + 64·7 + 3·7", cora, (30, 7),
        Small(GRAPH, graph)),
    Row("dcgan_generator", 3_576_704, "PyTorch's tutorial", images(2, 100), (2, 3, 64, 64),
        Small({**TINY_GAN, "noise": 10}, noise, MSE)),
    Row("dcgan_discriminator", 2_765_568, "PyTorch's tutorial", images(2, 3, 64, 64), (2,),
        Small(TINY_GAN, lambda rng: ((numbers(rng, 4, 1, 16, 16),), (numbers(rng, 4).round(),)), BCE)),
    Row("vae", 652_824, "PyTorch's example", images(2, 784), ((2, 784), (2, 20), (2, 20)),
        Small({"inputs": 16, "hidden": 8, "latent": 2}, one_picture, vae_loss, 1e-2)),
    Row("cyclegan_generator", 11_378_179, "the authors'", images(1, 3, 64, 64), (1, 3, 64, 64),
        Small({"width": 2, "blocks": 2}, itself(1, 3, 16, 16), MSE)),
    Row("cyclegan_generator_6", 7_837_699, "the authors'", images(1, 3, 64, 64), (1, 3, 64, 64)),
    Row("cyclegan_discriminator", 2_764_737, "the authors'", images(1, 3, 64, 64), (1, 1, 6, 6),
        Small({"width": 2}, lambda rng: (images(2, 3, 32, 32)(rng), ()), doubt_loss)),
    Row("ddpm_cifar", 35_746_307, "diffusers' ddpm-cifar10-32, which is the paper's",
        lambda rng: (numbers(rng, 1, 3, 32, 32), whole_numbers(rng, 9, 1)), (1, 3, 32, 32),
        Small({"channels": 1, "width": 8, "scales": (1, 2), "groups": 4, "dropout": 0.0}, noisy, MSE)),
    Row("deepspeech2", 41_187_904, "torch: two Conv2d, five GRU, six BatchNorm1d, Linear",
        images(1, 161, 60), (1, 30, 29),
        Small({"bins": 16, "hidden": 8, "layers": 2, "channels": 2, "num_classes": 6},
              speech(10, 16, 5), ctc_loss)),
    Row("conformer_s", 8_838_592, "the paper's 10.3 M without its decoder", images(1, 80, 61),
        (1, 14, 1024),
        Small({"layers": 1, "width": 16, "heads": 2, "bins": 16, "num_classes": 6, "dropout": 0.0},
              speech(35, 16, 8), ctc_loss)),
    Row("conformer_m", 27_525_120, "the paper's 30.7 M without its decoder", images(1, 80, 61),
        (1, 14, 1024)),
    Row("conformer_l", 115_374_592, "the paper's 118.8 M without its decoder", images(1, 80, 61),
        (1, 14, 1024)),
    Row("dqn", 1_686_180, "Mnih et al. 2015 with 4 actions", images(2, 4, 84, 84), (2, 4),
        Small({"seen": 3}, actions, said_loss)),
    Row("ppo", 1_686_693, "the same, and a value", images(2, 4, 84, 84), ((2, 4), (2,)),
        Small({"seen": 3}, played, ppo_loss)),
]  # fmt: skip
