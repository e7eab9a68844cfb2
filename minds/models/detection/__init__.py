"""Networks that find objects: images ``(N, 3, H, W)`` in, where something could be and what out.

Objects that a network learns from are boxes ``(N, M, 4)``, as (x0, y0, x1, y1) in pixels, and their classes
``(N, M)`` from 0 on, -1 where there are fewer than M.
"""
