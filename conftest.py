"""What doctests may use without importing it, and the mode in which each begins."""

import pytest


@pytest.fixture(autouse=True)
def _doctest_names(request):
    if type(request.node).__name__ != "DoctestItem":
        yield
        return
    import minds

    request.getfixturevalue("doctest_namespace").update(
        ms=minds, ops=minds.ops, Tensor=minds.Tensor
    )
    before = minds.get_context("mode")
    yield
    minds.set_context(mode=before)
