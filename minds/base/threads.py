"""The defaults of OpenMP, which libgomp reads once, when the native core is loaded.

So this is imported before anything that imports `minds._core`.
"""

import os

# Without it a thread spins for up to 20 ms at each barrier, which on a machine with other work
# costs whole time slices (measured: a LeNet epoch took 0.8 s with, 5 to 28 s without).
os.environ.setdefault("GOMP_SPINCOUNT", "1000")
