"""Networks that read and write text: ids of tokens ``(N, L)`` in."""
