"""Speech, and music: waveforms from WAV or SPHERE files, and what is known of them."""

from __future__ import annotations

import os
import re

import numpy as np

from .. import source_arguments as arguments
from ..collection import COMMON, Collection, text_file
from ..image_sets.folders import listed, subfolders
from ..pipeline import DatasetError
from .sound import read_sphere, read_wav

_WAV = (".wav",)


def _sound(path: str, dtype=np.uint32) -> tuple:
    waveform, rate = read_wav(path)
    return waveform, dtype(rate)


def _text_lines(path: str) -> list[str]:
    with text_file(path) as f:
        return [line.rstrip("\r\n") for line in f if line.strip()]


class CMUArcticDataset(Collection):
    """Waveforms (float32) of CMU Arctic, their sample rates (uint32), texts and names (str).

    Source: Kominek, Black, The CMU Arctic speech databases, 2004.
    """

    _voices = tuple(
        "aew ahw aup awb axb bdl clb eey fem gka jmk ksp ljm lnh rms rxr slp slt".split()
    )
    parameters = f"dataset_dir, name=None, {COMMON}"
    columns = ("waveform", "sample_rate", "transcript", "utterance_id")
    checks = {"name": _voices}
    about = {"name": f"str, optional): the voice: {', '.join(_voices)}. Default: aew"}
    label_column = ""
    _line = re.compile(r'\(\s*(\S+)\s+"(.*)"\s*\)')

    def _entries(self, a):
        folder = os.path.join(a.dataset_dir, f"cmu_us_{a.name or 'aew'}_arctic")
        made = []
        path = os.path.join(folder, "etc", "txt.done.data")
        for number, line in enumerate(_text_lines(path), 1):
            found = self._line.match(line.strip())
            if found is None:
                raise DatasetError(f'CMUArcticDataset: {path}: line {number} is no ( name "text" )')
            name, text = found.groups()
            made.append((os.path.join(folder, "wav", f"{name}.wav"), text, name))
        return made

    def _row(self, a, entry):
        path, text, name = entry
        return *_sound(path), np.array(text), np.array(name.rpartition("_")[2])


class GTZANDataset(Collection):
    """Waveforms (float32) of GTZAN, their sample rates (uint32) and genres (str). A part is a list of
    names, ``train_filtered.txt``, ``valid_filtered.txt`` or ``test_filtered.txt``, in the folder.

    Source: Tzanetakis, Cook, Musical genre classification of audio signals, 2002.
    """

    parameters, usages = f"dataset_dir, usage=None, {COMMON}", ("train", "valid", "test", "all")
    columns = ("waveform", "sample_rate", "label")

    def _entries(self, a):
        made = [
            (path, name)
            for name in subfolders(a.dataset_dir)
            for path in listed(os.path.join(a.dataset_dir, name), _WAV)
        ]
        if a.usage in (None, "all"):
            return made
        path = os.path.join(a.dataset_dir, f"{a.usage}_filtered.txt")
        if not os.path.isfile(path):
            raise DatasetError(
                f"GTZANDataset: usage {a.usage!r} needs the list {path} of the files of this part"
            )
        kept = {os.path.splitext(os.path.basename(line.strip()))[0] for line in _text_lines(path)}
        return [(p, n) for p, n in made if os.path.splitext(os.path.basename(p))[0] in kept]

    def _row(self, a, entry):
        return *_sound(entry[0]), np.array(entry[1])


class LibriTTSDataset(Collection):
    """Waveforms (float32) of LibriTTS, their sample rates (uint32), texts, speakers, chapters (uint32)
    and names.

    Source: Zen et al., LibriTTS: A Corpus Derived from LibriSpeech for Text-to-Speech, 2019.
    """

    parameters = f"dataset_dir, usage=None, {COMMON}"
    usages = (
        "dev-clean",
        "dev-other",
        "test-clean",
        "test-other",
        "train-clean-100",
        "train-clean-360",
        "train-other-500",
        "all",
    )
    columns = (
        "waveform",
        "sample_rate",
        "original_text",
        "normalized_text",
        "speaker_id",
        "chapter_id",
        "utterance_id",
    )
    label_column = "speaker_id"

    def _entries(self, a):
        parts = [a.usage] if a.usage not in (None, "all") else self.usages[:-1]
        made = []
        for part in parts:
            folder = os.path.join(a.dataset_dir, part)
            for path in listed(folder, (".trans.tsv",)) if os.path.isdir(folder) else ():
                for number, line in enumerate(_text_lines(path), 1):
                    values = line.split("\t")
                    if len(values) != 3 or values[0].count("_") < 3:
                        raise DatasetError(f"LibriTTSDataset: {path}: line {number} is damaged")
                    made.append((os.path.join(os.path.dirname(path), f"{values[0]}.wav"), values))
        return made

    def _row(self, a, entry):
        path, (name, original, normalized) = entry
        speaker, chapter = name.split("_")[:2]
        texts = map(np.array, (original, normalized))
        return (
            *_sound(path),
            *texts,
            np.uint32(int(speaker)),
            np.uint32(int(chapter)),
            np.array(name),
        )


class LJSpeechDataset(Collection):
    """Waveforms (float32) of LJ Speech, their sample rates (int32), and texts as printed and as read.

    Source: Ito, Johnson, The LJ Speech Dataset, 2017.
    """

    parameters = f"dataset_dir, {COMMON}"
    columns = ("waveform", "sample_rate", "transcription", "normalized_transcription")
    label_column = ""

    def _entries(self, a):
        path, made = os.path.join(a.dataset_dir, "metadata.csv"), []
        for number, line in enumerate(_text_lines(path), 1):
            name, *texts = line.split("|")
            if len(texts) != 2:
                raise DatasetError(f"LJSpeechDataset: {path}: line {number} has no 3 columns")
            made.append((os.path.join(a.dataset_dir, "wavs", f"{name}.wav"), texts))
        return made

    def _row(self, a, entry):
        return *_sound(entry[0], np.int32), *map(np.array, entry[1])


class SpeechCommandsDataset(Collection):
    """Waveforms (float32) of Speech Commands, their sample rates (int32), words and speakers (str), and
    which utterance of the speaker it is (int32).

    Source: Warden, Speech Commands: A Dataset for Limited-Vocabulary Speech Recognition, 2018.
    """

    parameters, usages = f"dataset_dir, usage=None, {COMMON}", ("train", "test", "valid", "all")
    columns = ("waveform", "sample_rate", "label", "speaker_id", "utterance_number")
    _lists = {"test": "testing_list.txt", "valid": "validation_list.txt"}

    def _entries(self, a):
        every = [
            os.path.join(a.dataset_dir, name, file)
            for name in subfolders(a.dataset_dir)
            if name != "_background_noise_"
            for file in sorted(os.listdir(os.path.join(a.dataset_dir, name)))
            if file.endswith("wav") and "_nohash_" in file
        ]
        if a.usage in (None, "all"):
            return every
        listed_ = {p: self._listed(a, file) for p, file in self._lists.items()}
        if a.usage == "train":
            other = listed_["test"] | listed_["valid"]
            return [p for p in every if p not in other]
        return [p for p in every if p in listed_[a.usage]]

    @staticmethod
    def _listed(a, name: str) -> set:
        path = os.path.join(a.dataset_dir, name)
        return {os.path.normpath(os.path.join(a.dataset_dir, n)) for n in _text_lines(path)}

    def _row(self, a, entry):
        folder, file = os.path.split(entry)
        speaker, _, number = os.path.splitext(file)[0].partition("_nohash_")
        label = np.array(os.path.basename(folder))
        return *_sound(entry, np.int32), label, np.array(speaker), np.int32(int(number))


class YesNoDataset(Collection):
    """Waveforms (float32) of YesNo, their sample rates (int32), and the eight answers (int32).

    Source: Open Speech and Language Resources, YesNo, SLR1.
    """

    parameters, columns = f"dataset_dir, {COMMON}", ("waveform", "sample_rate", "label")
    label_column = ""

    def _entries(self, a):
        return [
            os.path.join(a.dataset_dir, f)
            for f in sorted(os.listdir(a.dataset_dir))
            if re.fullmatch(r"[01](_[01]){7}\.wav", f)
        ]

    def _row(self, a, entry):
        answers = os.path.splitext(os.path.basename(entry))[0].split("_")
        return *_sound(entry, np.int32), np.array([int(n) for n in answers], np.int32)


class TedliumDataset(Collection):
    """Segments of the talks of TED-LIUM: waveforms (float32), sample rates (int32), texts, talks,
    speakers and identifiers (str).

    Source: Rousseau, Deléglise, Estève, TED-LIUM: an Automatic Speech Recognition dedicated corpus, 2012.
    """

    parameters = f"dataset_dir, release, usage=None, extensions=None, {COMMON}"
    columns = ("waveform", "sample_rate", "transcript", "talk_id", "speaker_id", "identifier")
    checks = {
        "release": ("release1", "release2", "release3"),
        "usage": lambda n, v: v if v is None else arguments.word(n, v),
        "extensions": lambda n, v: v if v is None else arguments.one_of(n, v, (".sph",)),
    }
    about = {
        "release": "str): release1, release2 or release3",
        "extensions": "str, optional): '.sph'",
        "usage": "str, optional): train, test, dev or all; all for release3. Default: all",
    }
    label_column = ""

    def _entries(self, a):
        allowed = ("all",) if a.release == "release3" else ("dev", "test", "train", "all")
        usage = arguments.one_of("usage", "all" if a.usage is None else a.usage, allowed)
        if a.release == "release3":
            folders = [os.path.join(a.dataset_dir, "data")]
        else:
            parts = allowed[:-1] if usage == "all" else (usage,)
            folders = [os.path.join(a.dataset_dir, p) for p in parts]
        made = []
        for folder in folders:
            for path in listed(os.path.join(folder, "stm"), (".stm",)):
                name = os.path.splitext(os.path.basename(path))[0]
                sound = os.path.join(folder, "sph", f"{name}.sph")
                for number, line in enumerate(_text_lines(path), 1):
                    values = line.split(" ", 6)
                    if len(values) != 7:
                        raise DatasetError(
                            f"TedliumDataset: {path}: line {number} has no 7 columns"
                        )
                    made.append((sound, values))
        return made

    def _row(self, a, entry):
        path, (talk, _, speaker, begin, end, identifier, text) = entry
        waveform, rate = read_sphere(path)
        first, last = int(float(begin) * rate), int(float(end) * rate)
        if not 0 <= first <= last:
            raise ValueError(f"a segment is from {begin} to {end}")
        texts = map(np.array, (text, talk, speaker, identifier))
        return np.ascontiguousarray(waveform[:, first:last]), np.int32(rate), *texts
