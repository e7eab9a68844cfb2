"""No search for garbage while the package is imported: what that makes stays, and looking through it
again and again takes a sixth of the time. Importing this module begins it; `minds` calls `end`.
"""

import gc

_searches = gc.isenabled()
gc.disable()


def end() -> None:
    """Search again, if that was so. What there is counts as old, as if it had been looked through."""
    if _searches:
        gc.freeze()
        gc.unfreeze()
        gc.enable()


__all__ = ["end"]
