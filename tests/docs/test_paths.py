"""Every path that the documents name exists."""

import pathlib
import re

import pytest

import minds

ROOT = pathlib.Path(__file__).parents[2]
DOCUMENTS = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]


def paths(text: str):
    """Files and folders in backticks, and the targets of links that are no addresses."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    yield from re.findall(r"`((?:[\w.]+/)*[\w.]+\.(?:py|pyi|md|toml|cc|h)|(?:\w+/)+)`", text)
    without_code = re.sub(r"`[^`]*`", "", text)
    yield from re.findall(r"\]\((?!https?:)([^)#]+)[^)]*\)", without_code)


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda d: d.name)
def test_paths_exist(document):
    homes = (document.parent, ROOT, ROOT / "minds", ROOT / "csrc")
    names = {
        p.name
        for home in ("minds", "tests", "csrc")
        for p in (ROOT / home).rglob("*")
        if p.suffix in (".py", ".cc", ".h")
    }
    missing = [
        p
        for p in paths(document.read_text(encoding="utf-8"))
        if p not in names and not any((home / p).exists() for home in homes)
    ]
    assert not missing


def names(text: str):
    """The identifiers in backticks."""
    text = re.sub(r"^```.*?^```", "", text, flags=re.MULTILINE | re.DOTALL)
    for code in re.findall(r"`([^`]+)`", text):
        yield from re.findall(r"[A-Za-z_]\w+", code)


@pytest.mark.parametrize("document", ["frontend.md", "frontend-parts.md"])
def test_names_of_the_frontend_exist(document):
    """What explains the frontend names what is there: each identifier stands in its source."""
    files = [*(ROOT / "minds" / "frontend").rglob("*.py"), ROOT / "minds" / "base" / "errors.py"]
    written = {w for f in files for w in re.findall(r"\w+", f.read_text(encoding="utf-8"))}
    written |= {f.stem for f in files} | {"frontend", "minds", *dir(minds)}
    text = (ROOT / "docs" / document).read_text(encoding="utf-8")
    assert sorted({n for n in names(text) if n not in written}) == []
