"""The table of platforms is what the registries say."""

import pathlib
import runpy

ROOT = pathlib.Path(__file__).parents[2]


def test_the_table_of_platforms_is_current():
    made = runpy.run_path(str(ROOT / "tools" / "platform_table.py"))
    text = (ROOT / "docs" / "platform.md").read_text(encoding="utf-8")
    assert text == made["page"](), "run: python tools/platform_table.py"
