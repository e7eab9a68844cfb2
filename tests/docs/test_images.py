import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_pages_of_transforms_are_as_written():
    made = runpy.run_path(str(ROOT / "tools" / "image_table.py"))
    for name, written in (("images.md", made["page"]()), ("transforms.md", made["others"]())):
        text = (ROOT / "docs" / name).read_text(encoding="utf-8")
        assert text == written, "run: python tools/image_table.py"
