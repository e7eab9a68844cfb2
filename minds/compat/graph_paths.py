"""`mindspore.graph`, which has modules alone: those that minds has are in `paths`."""

__all__: list[str] = []
