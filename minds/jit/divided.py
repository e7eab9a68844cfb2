"""The programs that were divided among processes, for who asks later how the parameters of a network lie."""

from __future__ import annotations

import weakref


class DividedPrograms:
    """What is known of divided programs, the latest last: how parameters lie, and which they are.

    Nothing is kept before `begin`, and nothing of parameters that are gone.
    """

    def __init__(self):
        self.keeps, self._found = False, []

    def begin(self) -> None:
        """Keep what is compiled from now on."""
        self.keeps = True

    def forget(self) -> None:
        """Forget what was kept."""
        self._found.clear()

    def note(self, parameters: list, lies) -> None:
        """Keep a program's, a `sharding.parts.Laid`."""
        if not self.keeps:
            return
        self._found = [entry for entry in self._found if all(r() is not None for r in entry[0])]
        self._found.append(([weakref.ref(p) for p in parameters], lies))

    def places(self, parameters: list) -> dict:
        """Where all parameters are of the latest program that has these: by name the parameter and its
        `sharding.parts.PartsPlace`.
        """
        asked = set(map(id, parameters))
        for refs, lies in reversed(self._found):
            held = [r() for r in refs]
            if asked and asked <= set(map(id, held)):
                return {p.name: (p, lies.place(i)) for i, p in enumerate(held)}
        return {}


divided = DividedPrograms()
