"""Which Python functions a call enters."""

import gc
import sys


def python_calls(run, library: bool = False) -> list[str]:
    """The functions that run inside ``run()``, itself left out; those of the library in C too if
    ``library``. What the garbage collector ends meanwhile is others'.
    """
    found = []

    def profile(frame, event, arg):
        if event == "call" or library and event == "c_call":
            found.append(arg.__name__ if event == "c_call" else frame.f_code.co_name)

    was_on = gc.isenabled()
    gc.disable()
    sys.setprofile(profile)
    try:
        run()
    finally:
        sys.setprofile(None)
        if was_on:
            gc.enable()
    return found[1:]
