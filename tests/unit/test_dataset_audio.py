"""Transforms of audio against what MindSpore 2.10 gave (`record_audio.py`), and their errors."""

import json
import os
import sys

import numpy as np
import pytest

import minds as ms
import minds.dataset as ds
from minds.dataset import audio

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import audio_cases
from audio_cases import wave

with open(os.path.join(os.path.dirname(__file__), "audio_reference.json"), encoding="utf-8") as f:
    REFERENCE = json.load(f)
CASES, MATRICES = audio_cases.cases(audio), audio_cases.matrices(audio)


def agrees(value, recorded):
    dtype, shape, chosen = recorded
    assert (str(value.dtype), list(value.shape)) == (dtype, shape)
    flat = value.ravel()[:: max(1, value.size // 24)].astype(np.float64)
    bound = (1e-5 if dtype == "float64" else 1e-4) * max(1e-3, np.abs(chosen).max(initial=0))
    np.testing.assert_allclose(flat, chosen, rtol=1e-5, atol=bound)


@pytest.mark.parametrize("name", [n for n in REFERENCE if n in CASES])
def test_values(name):
    make, value = CASES[name]
    before = value.copy()
    out = make()(value)
    for made, recorded in zip(
        out if isinstance(out, tuple) else (out,), REFERENCE[name], strict=True
    ):
        agrees(made, recorded)
    np.testing.assert_array_equal(value, before)


@pytest.mark.parametrize("name", list(MATRICES))
def test_matrices(name):
    agrees(MATRICES[name](), REFERENCE[name][0])


def test_every_case_was_recorded():
    assert set(REFERENCE) == set(CASES) | set(MATRICES)


REFUSED = [
    (lambda: audio.BandBiquad(44100.5, 200), TypeError, "Argument sample_rate with value 44100.5"),
    (
        lambda: audio.BandBiquad(0, 200),
        ValueError,
        r"sample_rate is not .* \[-2147483648, 0\) and \(0",
    ),
    (
        lambda: audio.BandBiquad(441, "200"),
        TypeError,
        "Argument central_freq with value 200 is not",
    ),
    (lambda: audio.BandBiquad(441, 200, 0), ValueError, r"Input Q is not within .* of \(0, 1\]"),
    (lambda: audio.BandBiquad(441, 200, 0.5, 1), TypeError, "Argument noise with value 1 is not"),
    (
        lambda: audio.AmplitudeToDB("power"),
        TypeError,
        "Argument stype with value power is not of type",
    ),
    (lambda: audio.AmplitudeToDB(amin=-1), ValueError, r"Input amin is not .* \(0, 16777216\]"),
    (lambda: audio.LFilter([1.0], [1.0, 2]), ValueError, "The size of a_coeffs should be the same"),
    (
        lambda: audio.LFilter([1.0, "a"], [1.0, 2]),
        TypeError,
        r"Argument a_coeffs\[1\] with value a",
    ),
    (lambda: audio.DeemphBiquad(1000), ValueError, "should be 44100 or 48000, but got 1000"),
    (lambda: audio.Spectrogram(8, 9), ValueError, "win_length: 9 and n_fft: 8"),
    (lambda: audio.MelScale(f_min=9, f_max=3), ValueError, "f_max should be greater than f_min"),
    (lambda: audio.MFCC(n_mfcc=9, melkwargs={"n_mels": 3}), ValueError, "n_mfcc: 9 and n_mels: 3"),
    (lambda: audio.LFCC(dct_type=3), ValueError, "Input dct_type must be 2, but got : 3"),
    (
        lambda: audio.Vad(16000, noise_up_time=0.001),
        ValueError,
        "should be greater than noise_down",
    ),
    (lambda: audio.Vol(-1), ValueError, "Input gain is not within"),
    (lambda: audio.MaskAlongAxis(0, 1, 0, 0), ValueError, r"Input axis is not .* \[1, 2\]"),
    (lambda: audio.TimeMasking(False, -1), ValueError, "Input mask_param is not within"),
    (lambda: audio.create_dct(0, 1), ValueError, "n_mfcc must be greater than 0, but got 0"),
    (lambda: audio.create_dct(1, 1, 2), TypeError, "norm with value 2 is not of type"),
    (lambda: audio.linear_fbanks(9, 50, 40, 3, 90), ValueError, "f_min: 50 and f_max: 40"),
    (lambda: audio.Gain()([1.0]), TypeError, "Input should be NumPy audio, got <class 'list'>"),
    (
        lambda: audio.Gain()(np.array(1.0)),
        RuntimeError,
        "<..., time>. But got tensor with dimension 0",
    ),
    (lambda: audio.Angle()(np.zeros(3)), RuntimeError, "in shape of <..., complex=2>"),
    (
        lambda: audio.Gain()(np.array(["a"])),
        RuntimeError,
        r"\[int, float, double\]. But got type string",
    ),
    (
        lambda: audio.LowpassBiquad(4000, 15)(np.arange(9)),
        RuntimeError,
        r"Expecting tensor in type of \[float, double\]. But got type int64",
    ),
    (lambda: audio.Fade(9)(np.zeros(3)), RuntimeError, "fade_in_len 9 while length of waveform 3"),
    (
        lambda: audio.MaskAlongAxis(9, 1, 0, 1)(wave(3, 3)),
        RuntimeError,
        "'mask_start' 9 and length 3",
    ),
    (lambda: audio.MelScale(4, n_stft=8)(wave(9, 3)), RuntimeError, "n_stft 8 while freq 9"),
]


@pytest.mark.parametrize("call,kind,said", REFUSED)
def test_refused(call, kind, said):
    with pytest.raises(kind, match=said):
        call()


def test_half_precision_and_integers():
    x = wave(2, 30).astype(np.float16)
    made = audio.LowpassBiquad(4000, 1500)(x)
    wide = audio.LowpassBiquad(4000, 1500)(x.astype(np.float32))
    assert made.dtype == np.float16
    np.testing.assert_array_equal(made, wide.astype(np.float16))
    assert audio.Gain()(np.arange(3)).dtype == np.float32
    assert audio.Fade()(np.arange(3)).dtype == np.arange(3).dtype


def test_random_ones_are_drawn_by_row():
    def run(workers):
        ms.set_seed(5)
        d = ds.NumpySlicesDataset(np.abs(wave(6, 3, 9, 8)), "x", shuffle=False)
        ops = [audio.FrequencyMasking(True, 4), audio.TimeMasking(True, 3, mask_value=2.0)]
        d = d.map([*ops, audio.MaskAlongAxisIID(2, 7.0, 1)], "x", num_parallel_workers=workers)
        return np.stack([x for (x,) in d.create_tuple_iterator(num_epochs=1, output_numpy=True)])

    one = run(1)
    np.testing.assert_array_equal(one, run(3))
    assert (one == 2).any() and (one == 0).any() and not (one[0] == one[1]).all()
    for kind in audio.DensityFunction:
        for shaped in (False, True):
            made = audio.Dither(kind, shaped)(wave(2, 50))
            assert np.abs(made - wave(2, 50)).max() < 2e-4


def test_inverses():
    x = wave(2, 64)
    z = audio.Spectrogram(n_fft=16, power=0.0, normalized=True)(x)
    np.testing.assert_allclose(audio.InverseSpectrogram(64, 16, normalized=True)(z), x, atol=1e-12)
    scale = audio.MelScale(4, n_stft=9)
    energies = scale(np.abs(wave(2, 9, 3)))
    found = audio.InverseMelScale(9, 4)(energies)
    assert (found >= 0).all()
    np.testing.assert_allclose(scale(found), energies, atol=0.02)
    level = audio.GriffinLim(n_fft=16)(np.abs(wave(9, 8)))
    assert level.shape == (56,) and np.isfinite(level).all()


def test_silence_before_a_voice_is_cut():
    t = np.arange(24000) / 16000
    voice = np.where(t > 0.75, 0.9 * (np.arange(24000) % 80 == 0), 0) + 0.001 * wave(24000)
    kept = audio.Vad(16000, search_time=0.3, allowed_gap=0.05)(voice[None]).shape[1]
    assert 24000 - 12000 - 2400 <= kept <= 24000 - 12000 + 4000


def test_a_stretch_takes_any_number_of_frequencies():
    z = wave(5, 8, 2)
    wanted = audio.TimeStretch(8, 5, 1.3)(z)
    for n_freq in (3, 201):  # only the default of hop_length follows from it
        np.testing.assert_array_equal(audio.TimeStretch(8, n_freq, 1.3)(z), wanted)
