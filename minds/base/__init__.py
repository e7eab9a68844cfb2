"""Floor 0: dtypes, errors, source locations, options. Knows neither graphs nor tensors."""

from . import quiet, threads
