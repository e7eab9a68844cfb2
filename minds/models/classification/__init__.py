"""Networks that tell to which of some classes an image belongs: ``(N, C, H, W)`` in, logits out."""
