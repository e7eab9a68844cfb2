"""Makes the helper modules beside the tests importable; test files themselves may share names (importlib mode)."""
import os
import sys

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path[:0] = [HERE] + sorted(e.path for e in os.scandir(HERE) if e.is_dir() and not e.name.startswith("__"))
