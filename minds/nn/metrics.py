"""MindSpore's place for `minds.metrics`."""

import sys

from .. import metrics

sys.modules[__name__] = metrics
