"""Tiny files in the formats that data sets are made of."""

import os
import struct
import wave

import numpy as np
from PIL import Image

R = np.random.RandomState


def jpg(path, seed=0, size=(6, 5), fmt=None):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    Image.fromarray(R(seed).randint(0, 255, (size[1], size[0], 3), np.uint8)).save(path, fmt)


def gray(path, a):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    Image.fromarray(a).save(path)


def text(path, s):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(s)


def raw(path, b):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with open(path, "wb") as f:
        f.write(b)


def idx(a, code=8):
    a = np.asarray(a)
    return struct.pack(">BBBB%dI" % a.ndim, 0, 0, code, a.ndim, *a.shape) + a.tobytes()


def wav(path, seed=0, n=8, ch=1, rate=8000):
    os.makedirs(os.path.dirname(path), exist_ok=True)
    with wave.open(path, "wb") as w:
        w.setnchannels(ch)
        w.setsampwidth(2)
        w.setframerate(rate)
        w.writeframes(R(seed).randint(-32768, 32767, (n, ch)).astype("<i2").tobytes())


def mat(path, d):
    from scipy.io import savemat

    os.makedirs(os.path.dirname(path), exist_ok=True)
    savemat(path, d)
