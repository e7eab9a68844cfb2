"""A process that keeps a session of `DatasetCache`: python -m minds.dataset.keep_cache SESSION."""

import contextlib
import sys
import threading

from .cache import DatasetCache

if __name__ == "__main__":
    kept = DatasetCache(int(sys.argv[1]))
    count = kept.get_stat()["num_mem_cached"]
    print(f"session {sys.argv[1]} has {count} rows; Ctrl-C leaves it", flush=True)
    with contextlib.suppress(KeyboardInterrupt):
        threading.Event().wait()
