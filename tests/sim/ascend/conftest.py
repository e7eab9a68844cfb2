"""CANN's libraries are those of the build."""

import os

import pytest


@pytest.fixture(scope="module")
def libraries(tmp_path_factory):
    """CANN's libraries are those of the build; nothing may break their rules."""
    report = tmp_path_factory.mktemp("ascend") / "report"
    built = os.path.join(os.environ["MINDS_PLUGINS"].split(":")[0], "ascend")
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("MINDS_ASCEND_LIBRARIES", built)
        patch.setenv("MINDS_ASCEND_REPORT", str(report))
        yield
    assert not report.exists(), report.read_text()
