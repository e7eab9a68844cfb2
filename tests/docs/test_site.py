"""Each document has a place in the site, and each public name a page."""

import importlib.util
import pathlib
import re
import sys

import pytest

ROOT = pathlib.Path(__file__).parents[2]


def load(name: str):
    """A module of the site's builder, which is no package."""
    spec = importlib.util.spec_from_file_location(name, ROOT / "tools" / "site" / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module  # where dataclasses look up annotations
    spec.loader.exec_module(module)
    return module


def test_each_document_is_in_the_contents():
    docs = ROOT / "docs"
    text = (docs / "index.md").read_text(encoding="utf-8")
    entries = {
        line
        for block in re.findall(r"```\{toctree\}\n(.*?)```", text, re.DOTALL)
        for line in block.split()
        if not line.startswith(":")
    }
    pages = {p.relative_to(docs).with_suffix("").as_posix() for p in docs.rglob("*.md")}
    assert pages - {"index"} <= entries


@pytest.fixture(scope="module")
def pages(tmp_path_factory):
    folder = tmp_path_factory.mktemp("api")
    load("reference").write(str(folder))
    return folder


@pytest.mark.parametrize(
    "name, directive",
    [
        ("minds.ops.softmax", "autofunction"),
        ("minds.ops.Conv2D", "autoclass"),
        ("minds.nn.Conv2d", "autoclass"),
        ("minds.Tensor", "autoclass"),
        ("minds.dataset.vision.Resize", "autoclass"),
        ("minds.models.create", "autofunction"),
    ],
)
def test_a_name_has_a_page_and_its_package_lists_it(pages, name, directive):
    text = (pages / f"{name}.rst").read_text(encoding="utf-8")
    assert f".. {directive}:: {name}\n" in text
    package, _, last = name.rpartition(".")
    listed = (pages / "packages" / f"{package}.rst").read_text(encoding="utf-8")
    assert f":doc:`{last} </api/{name}>`" in listed


def test_what_has_two_names_has_one_page(pages):
    text = (pages / "minds.Model.rst").read_text(encoding="utf-8")
    others = re.findall(r"``(minds[\w.]+)``", text)
    assert "minds.train.Model" in others and not any((pages / f"{n}.rst").exists() for n in others)


def test_the_check_finds_what_is_missing(tmp_path):
    (tmp_path / "a.html").write_text('<a href="b.html#here">b</a> <img src="c.png"> <p id="x">')
    (tmp_path / "b.html").write_text(
        '<p id="there"> <a href="a.html#x">a</a> <a href="#there">b</a>'
    )
    assert load("check").broken(tmp_path) == ["a.html: b.html#here", "a.html: c.png"]
