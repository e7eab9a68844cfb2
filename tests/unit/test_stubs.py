"""The committed stubs say what is there."""

import pathlib
import re
import runpy

from minds import _core

ROOT = pathlib.Path(__file__).parents[2]


def test_the_stub_of_tensors_is_current():
    made = runpy.run_path(str(ROOT / "tools" / "make_stubs.py"))
    text = (ROOT / "minds" / "tensor.pyi").read_text(encoding="utf-8")
    assert text == made["tensor_stub"](), "run: python tools/make_stubs.py"


def test_the_stub_of_the_core_names_what_the_core_has():
    text = (ROOT / "minds" / "_core.pyi").read_text(encoding="utf-8")
    listed = set(re.findall(r"^(?:class |def )?(\w+)(?=[:(])", text, re.MULTILINE)) - {"def"}
    assert listed == {n for n in dir(_core) if not n.startswith("__")}
    for cls in (v for v in vars(_core).values() if isinstance(v, type)):
        body = re.search(rf"^class {cls.__name__}\b.*?(?=^\S|\Z)", text, re.MULTILINE | re.DOTALL)[
            0
        ]
        members = set(re.findall(r"^    (?:def )?(\w+)(?=[:(])", body, re.MULTILINE))
        public = {n for n in vars(cls) if not n.startswith("_")}
        assert public <= members, f"{cls.__name__}: {public - members}"
