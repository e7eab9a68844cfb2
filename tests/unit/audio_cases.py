"""Calls of transforms of audio on fixed signals: `record_audio.py` writes what MindSpore gives."""

import numpy as np


def wave(*shape):
    """Numbers in [-0.9, 0.9] that do not repeat."""
    n = np.arange(int(np.prod(shape)), dtype=np.float64)
    return (0.9 * np.sin(0.37 * n * n + 1.3 * n)).reshape(shape)


def cases(A):
    """Name → (transform, value) for the audio package ``A`` of MindSpore or of minds."""
    made = {}

    def case(name, value, *args, **kwargs):
        made[f"{name} {len(made)}"] = (lambda: getattr(A, name)(*args, **kwargs)), value

    x, x32, z = wave(2, 40), wave(2, 40).astype(np.float32), wave(9, 7, 2)
    s = np.abs(wave(2, 9, 7))
    for name in ("Allpass", "Band", "Bandpass", "Bandreject", "Highpass", "Lowpass"):
        case(name + "Biquad", x, 44100, 1500.0, 0.4)
        case(name + "Biquad", x32, 44100, 200.0)
    case("BandBiquad", x, 44100, 1500.0, 0.4, True)
    case("BandpassBiquad", x, 44100, 1500.0, 0.4, True)
    for name in ("BassBiquad", "TrebleBiquad"):
        case(name, x, 44100, -6.5)
    case("EqualizerBiquad", x, 44100, 1500.0, 5.5)
    case("Biquad", x, 0.5, -0.2, 0.13, 2.0, 0.12, 0.3)
    for rate in (44100, 48000):
        case("DeemphBiquad", x, rate)
    for rate in (44100, 48000, 88200, 96000):
        case("RiaaBiquad", x, rate)
    for name in ("LFilter", "Filtfilt"):
        case(name, x, [2.0, 0.1, 0.3], [0.3, 0.2, 3.0])
        case(name, x32, [2.0, 0.1, 0.3], [0.3, 0.2, 3.0], False)
    for power in (0, 1.0, 2.0):
        case("ComplexNorm", z, power)
        case("Magphase", z, power)
    case("Angle", z)
    case("AmplitudeToDB", s)
    case("AmplitudeToDB", s, A.ScaleType.MAGNITUDE, 0.3, 1e-3, 10.0)
    case("DBToAmplitude", x, 2.0, 0.5)
    case("Contrast", x, 60)
    for shift in ((0.5, 0.02), (-0.5, 0.02), (0.5,), (-1.5,)):
        case("DCShift", x, *shift)
    for shape in A.FadeShape:
        case("Fade", x, 5, 4, shape)
    case("Fade", x, 0, 1)
    case("Flanger", x, 2000)
    both = dict(modulation=A.Modulation.TRIANGULAR, interpolation=A.Interpolation.QUADRATIC)
    case("Flanger", x, 2000, 1.0, 3.0, 40.0, 90.0, 3.0, 60.0, **both)
    case("Gain", x, -3)
    case("Overdrive", x)
    case("Phaser", x, 500)
    case("Phaser", x32, 500, 0.9, 1.0, 4.0, 0.7, 2, False)
    case("Vol", x, 3.0)
    case("Vol", x, 2.0, A.GainType.POWER)
    case("Vol", x, -4, A.GainType.DB)
    case("MuLawEncoding", x)
    case("MuLawDecoding", np.arange(9))
    case("ComputeDeltas", s)
    for border in A.BorderType:
        case("ComputeDeltas", s, 7, border)
        case("Spectrogram", x, n_fft=8, pad_mode=border)
    for window in A.WindowType:
        lengths = dict(win_length=7, hop_length=5, pad=2, power=1.0)
        case("Spectrogram", x, n_fft=16, window=window, normalized=True, **lengths)
    case("Spectrogram", x, n_fft=8, onesided=False, center=False)
    case("Spectrogram", x, n_fft=8, power=0.0)
    case("SpectralCentroid", x, 44100, n_fft=8, pad=3)
    case("InverseSpectrogram", z, n_fft=16)
    case("InverseSpectrogram", z, 40, 16, 12, 5, normalized=True)
    case("GriffinLim", s, n_fft=16, n_iter=2, rand_init=False)
    case("PhaseVocoder", z, 1.3, np.linspace(0, 25.0, 9)[:, None])
    case("TimeStretch", z, 8, 9, 0.7)
    case("PitchShift", x, 16000, 12, n_fft=16)
    for method in A.ResampleMethod:
        case("Resample", x, 16000, 11000, method)
        case("Resample", x, 2, 3, method, 9, 0.8, 8.0)
    case("DetectPitchFrequency", x, 30, 0.1, 3, 5, 25)
    for kind in A.MelType:
        for norm in A.NormType:
            case("MelScale", s, 4, 16000, 100.0, 5000.0, 9, norm, kind)
    case("MelSpectrogram", x32, n_fft=16, n_mels=3)
    spectrum = dict(n_fft=16, win_length=16, hop_length=8, pad=0, power=2.0, normalized=False)
    spectrum |= dict(center=True, onesided=True, window=A.WindowType.HANN)
    spectrum |= dict(pad_mode=A.BorderType.REFLECT)
    mel = dict(f_min=0.0, f_max=8000, n_mels=4, norm=A.NormType.NONE, mel_scale=A.MelType.HTK)
    for norm in A.NormMode:
        for natural in (False, True):
            case("MFCC", x32, 16000, 3, 2, norm, natural, spectrum | mel)
            case("LFCC", x32, 16000, 4, 3, 0.0, None, 2, norm, natural, dict(spectrum))
    case("SlidingWindowCmn", s, 3, 2)
    case("SlidingWindowCmn", s, 5, 2, True, True)
    case("MaskAlongAxis", s, 2, 3, -1.0, 1)
    case("FrequencyMasking", s, False, 2, 3, 1.5)
    case("TimeMasking", s, False, 2, 3, 1.5)
    case("Vad", x, 1600)
    return made


def matrices(A):
    """Name → function of no arguments, for the functions that make matrices."""
    made = {}
    for norm in A.NormMode:
        made[f"create_dct {norm.value}"] = lambda norm=norm: A.create_dct(3, 5, norm)
    for norm in A.NormType:
        for kind in A.MelType:
            args = (9, 20.0, 7000.0, 3, 16000, norm, kind)
            made[f"melscale_fbanks {norm.value} {kind.value}"] = lambda a=args: A.melscale_fbanks(
                *a
            )
    made["linear_fbanks"] = lambda: A.linear_fbanks(9, 1.0, 40, 3, 90)
    return made
