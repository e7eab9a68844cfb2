"""Videos that PyAV writes without loss are read as they were."""

import sys

import numpy as np
import pytest

import minds.dataset as ds
from minds.dataset import vision
from minds.dataset.vision import video

FRAMES = np.random.default_rng(1).integers(0, 256, (10, 16, 24, 3), np.uint8)
SOUND = np.random.default_rng(2).integers(-9000, 9000, (2, 4410), np.int16)


def needs_pyav():
    return pytest.importorskip("av", reason="PyAV (pip install av) writes and reads the videos")


@pytest.fixture(scope="module")
def files(tmp_path_factory):
    """A video with sound, and one without."""
    av, folder = needs_pyav(), tmp_path_factory.mktemp("videos")
    for name, sounds in (("a.mov", True), ("b.avi", False)):
        with av.open(str(folder / name), "w") as out:
            stream = out.add_stream("png", rate=25)
            stream.width, stream.height, stream.pix_fmt = 24, 16, "rgb24"
            sound = out.add_stream("pcm_s16le", rate=11025, layout="stereo") if sounds else None
            for picture in FRAMES:
                out.mux(stream.encode(av.VideoFrame.from_ndarray(picture, format="rgb24")))
            out.mux(stream.encode())
            if sounds:
                packed = np.ascontiguousarray(SOUND.T).reshape(1, -1)
                frame = av.AudioFrame.from_ndarray(packed, format="s16", layout="stereo")
                frame.sample_rate = 11025
                out.mux(sound.encode(frame))
                out.mux(sound.encode())
    return folder


def test_a_whole_video(files):
    pictures, sound, rates = vision.read_video(str(files / "a.mov"))
    assert (pictures == FRAMES).all() and pictures.dtype == np.uint8
    assert (sound == SOUND).all() and sound.dtype == np.int16
    assert rates == {"video_fps": 25.0, "audio_fps": 11025}
    pictures, sound, rates = vision.read_video(str(files / "b.avi"))
    assert (pictures == FRAMES).all() and sound.shape == (1, 0) and rates == {"video_fps": 25.0}


@pytest.mark.parametrize(
    "arguments, first, last",
    [
        ({"start_pts": 0.1, "end_pts": 0.2, "pts_unit": "sec"}, 3, 6),
        ({"start_pts": 0, "end_pts": 0.04, "pts_unit": "sec"}, 0, 2),
        ({"start_pts": 0.3, "pts_unit": "sec"}, 8, 10),
        ({"end_pts": 0}, 0, 1),
        ({"start_pts": 10**9}, 10, 10),
    ],
)
def test_a_part_of_a_video(files, arguments, first, last):
    pictures, sound, _ = vision.read_video(str(files / "a.mov"), **arguments)
    assert pictures.shape[1:] == FRAMES.shape[1:] and (pictures == FRAMES[first:last]).all()
    assert (sound == SOUND[:, first * 441 : last * 441]).all()  # 441 samples belong to a picture


def test_timestamps(files):
    times, rate = vision.read_video_timestamps(str(files / "a.mov"), "sec")
    assert rate == 25.0 and np.allclose(times, np.arange(10) / 25)
    ticks, _ = vision.read_video_timestamps(str(files / "b.avi"))
    assert ticks == list(range(10))


def test_a_pipeline_decodes(files):
    data = ds.GeneratorDataset([np.fromfile(files / "a.mov", np.uint8)], ["file"])
    data = data.map(vision.DecodeVideo(), "file", ["pictures", "sound"])
    (row,) = data.create_dict_iterator(num_epochs=1, output_numpy=True)
    assert (row["pictures"] == FRAMES).all() and (row["sound"] == SOUND).all()


def test_pictures_by_number(files):
    decoder = vision.VideoDecoder(str(files / "a.mov"))
    assert decoder.metadata == {
        "width": 24,
        "height": 16,
        "duration_seconds": 0.4,
        "num_frames": 10,
        "average_fps": 25.0,
    }
    assert (decoder.get_frames_at([7, 0, 7]) == FRAMES[[7, 0, 7]]).all()
    assert decoder.get_frames_at([]).shape == (0,)
    with pytest.raises(ValueError, match=r"Invalid frame index\[1\]=10"):
        decoder.get_frames_at([0, 10])
    with pytest.raises(TypeError, match="indices"):
        decoder.get_frames_at((0,))


@pytest.mark.parametrize("length", [0, 10, 2000])
def test_damaged_files(files, tmp_path, length):
    path = tmp_path / "cut.mov"
    path.write_bytes((files / "a.mov").read_bytes()[:length])
    for read in (vision.read_video, vision.read_video_timestamps, vision.VideoDecoder):
        with pytest.raises(RuntimeError, match="Failed to open the file .*cut.mov"):
            read(str(path))
    if length:
        with pytest.raises(RuntimeError, match="DecodeVideo: Failed to open the file in memory"):
            vision.DecodeVideo()(np.fromfile(path, np.uint8))


@pytest.mark.parametrize(
    "arguments, kind, said",
    [
        ((0,), TypeError, "Input filename is not of type"),
        (("none",), ValueError, "Invalid file path, none does not exist."),
        ((".",), RuntimeError, "Invalid file path, . is not a regular file."),
        ((".", "0"), TypeError, "Input start_pts is not of type"),
        ((".", -1), ValueError, "Not supported start_pts for -1."),
        ((".", 2, 1), ValueError, "The end_pts should be >= start_pts."),
        ((".", 0, None, 0), TypeError, "Input pts_unit is not of type"),
        ((".", 0, None, "min"), ValueError, "Not supported pts_unit for min"),
        ((), TypeError, "missing 1 required positional argument: 'filename'"),
    ],
)
def test_wrong_arguments(arguments, kind, said):
    with pytest.raises(kind) as info:
        vision.read_video(*arguments)
    assert said in str(info.value)


def test_pyav_is_asked_for(monkeypatch, tmp_path):
    (tmp_path / "a.mp4").write_bytes(b"x")
    monkeypatch.setitem(sys.modules, "av", None)
    video._av.cache_clear()
    with pytest.raises(ImportError, match=r"needs PyAV(.|\n)*pip install av"):
        vision.read_video(str(tmp_path / "a.mp4"))
    video._av.cache_clear()
