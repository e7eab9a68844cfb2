import runpy
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_of_images_is_as_written():
    made = runpy.run_path(str(ROOT / "tools" / "image_table.py"))
    text = (ROOT / "docs" / "images.md").read_text(encoding="utf-8")
    assert text == made["page"](), "run: python tools/image_table.py"
