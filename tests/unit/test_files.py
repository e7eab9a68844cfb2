"""Files that are replaced as a whole, and what killed writers leave."""

import os
import subprocess
import sys
import threading

import pytest

import minds as ms
from minds import Tensor, nn
from minds.base.files import replacing

KINDS = {
    "program": (
        ".mindir",
        lambda path, v: ms.export(
            lambda x: x + v, Tensor([0.0]), file_name=path, file_format="MINDIR"
        ),
        lambda path: float(ms.load(path)(Tensor([0.0]))[0]),
    ),
    "checkpoint": (
        ".ckpt",
        lambda path, v: ms.save_checkpoint({"v": Tensor([v])}, path),
        lambda path: float(ms.load_checkpoint(path)["v"][0]),
    ),
    "safetensors": (
        ".safetensors",
        lambda path, v: ms.save_checkpoint({"v": Tensor([v])}, path, format="safetensors"),
        lambda path: float(ms.load_checkpoint(path, format="safetensors")["v"][0]),
    ),
}
each = pytest.mark.parametrize("kind", KINDS)

WRITER = """
import sys
from minds.base.files import replacing
with replacing(sys.argv[1], "test") as f:
    f.write(b"half")
    f.flush()
    print("writing", flush=True)
    sys.stdin.read()
"""


def writer(path):
    return subprocess.Popen(
        [sys.executable, "-c", WRITER, str(path)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env={**os.environ, "PYTHONPATH": os.pathsep.join(p for p in sys.path if p)},
    )


@each
def test_what_a_killed_writer_leaves_is_removed_at_the_next_save(tmp_path, kind):
    end, save, read = KINDS[kind]
    path = str(tmp_path / f"net{end}")
    save(path, 1.0)
    killed = [writer(str(tmp_path / name)) for name in (f"net{end}", "another")]
    for other in killed:
        other.stdout.readline()
    for other in killed:
        other.kill()
        other.wait()
    assert len(os.listdir(tmp_path)) == 3 and read(path) == 1.0
    (tmp_path / ".mine.tmp").write_text("another program's")
    save(path, 2.0)
    assert sorted(os.listdir(tmp_path)) == [".mine.tmp", f"net{end}"] and read(path) == 2.0


def test_a_file_that_is_being_written_stays(tmp_path):
    path = str(tmp_path / "net.ckpt")
    with writer(path) as other:
        other.stdout.readline()
        KINDS["checkpoint"][1](path, 3.0)
        assert len(os.listdir(tmp_path)) == 2
        other.stdin.close()
        assert other.wait() == 0
    assert os.listdir(tmp_path) == ["net.ckpt"]
    assert (tmp_path / "net.ckpt").read_bytes() == b"half"


@each
def test_a_failed_save_leaves_the_old_file(tmp_path, kind, monkeypatch):
    end, save, read = KINDS[kind]
    path = str(tmp_path / f"net{end}")
    save(path, 1.0)

    def full(*_):
        raise OSError(28, "no space")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="no space"):
        save(path, 2.0)
    monkeypatch.undo()
    assert os.listdir(tmp_path) == [f"net{end}"] and read(path) == 1.0


def test_many_writers_of_one_file(tmp_path):
    path, errors = str(tmp_path / "f"), []

    def write(i: int) -> None:
        try:
            for _ in range(20):
                with replacing(path, "test") as f:
                    f.write(bytes([i]) * 1000)
        except Exception as e:
            errors.append(e)

    threads = [threading.Thread(target=write, args=(i,)) for i in range(8)]
    for t in threads:
        t.start()
    for t in threads:
        t.join()
    assert not errors and os.listdir(tmp_path) == ["f"]
    assert len(set((tmp_path / "f").read_bytes())) == 1


def test_a_missing_folder(tmp_path):
    with pytest.raises(FileNotFoundError, match="no folder .* for the checkpoint"):
        ms.save_checkpoint(nn.Dense(2, 2), str(tmp_path / "no" / "net.ckpt"))
    assert os.listdir(tmp_path) == []
