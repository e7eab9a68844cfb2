"""Networks that write down what was said: spectrograms ``(N, F, T)`` in, logits ``(N, T', classes)`` out."""
