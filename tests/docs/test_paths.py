"""Every path that the documents name exists."""

import pathlib
import re

import pytest

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
