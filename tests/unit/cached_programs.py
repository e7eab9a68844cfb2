"""For tests of programs on disk: a cache in a folder of its own, and modules that are imported anew."""

import importlib
import linecache
import sys
import textwrap

import pytest

import minds as ms

compile_cache = importlib.import_module("minds.jit.compile_cache")
jit_program = importlib.import_module("minds.jit.program")
frontend_source = importlib.import_module("minds.frontend.source")


class Places:
    """What the cache did: `hits` programs were found, `kept` written."""

    def __init__(self, folder):
        self.folder, self.hits, self.kept = folder, 0, 0

    def files(self) -> list:
        return sorted(self.folder.glob("*.program"))


@pytest.fixture
def places(tmp_path, monkeypatch):
    """The cache, on, in a folder of its own."""
    found = Places(tmp_path / "cache")
    load, write = compile_cache.CacheFile.load, compile_cache._write

    def loaded(entry):
        got = load(entry)
        found.hits += type(got) is jit_program.Program
        return got

    def written(path, data):
        write(path, data)
        found.kept += 1

    monkeypatch.setattr(compile_cache.CacheFile, "load", loaded)
    monkeypatch.setattr(compile_cache, "_write", written)
    before = ms.get_context("enable_compile_cache"), ms.get_context("compile_cache_path")
    ms.set_context(enable_compile_cache=True, compile_cache_path=str(found.folder))
    yield found
    ms.set_context(enable_compile_cache=before[0], compile_cache_path=before[1])


@pytest.fixture
def modules(tmp_path, monkeypatch):
    """Imports modules anew, with the given text: the one called ``program``."""
    monkeypatch.syspath_prepend(str(tmp_path))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    names = set()

    def begin(**texts):
        for name, text in texts.items():
            (tmp_path / f"{name}.py").write_text(textwrap.dedent(text))
            names.add(name)
        for name in names:
            sys.modules.pop(name, None)
        importlib.invalidate_caches()
        linecache.clearcache()
        frontend_source._functions.cache_clear()
        return importlib.import_module("program")

    yield begin
    for name in names:
        sys.modules.pop(name, None)


HEAD = "import minds as ms\nfrom minds import nn, ops, Tensor, Parameter\nimport numpy as np\n"


def text(body: str) -> str:
    return HEAD + textwrap.dedent(body)
