"""The picture of docs/parallel.md is what the code makes, and says what each device holds."""

import importlib.util
import pathlib
import re

HOME = pathlib.Path(__file__).parents[2]


def test_the_picture_is_that_of_the_code():
    spec = importlib.util.spec_from_file_location(
        "layouts_picture", HOME / "tools/layouts_picture.py"
    )
    tool = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(tool)
    text = tool.picture()
    assert tool.FILE.read_text(encoding="utf-8") == text, "python tools/layouts_picture.py"
    parts = re.findall(r'middle">([\d ]+)<', text)
    whole, rows, columns = ["0 1 2 3"], ["0 1", "2 3"], ["0 2", "1 3"]
    assert parts == [*whole, *rows, *columns, *"0123", *"0123", *"0213"]
    assert "](layouts.svg)" in (HOME / "docs/parallel.md").read_text(encoding="utf-8")
