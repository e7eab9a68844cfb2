"""Networks that learn from rewards: what is seen in, values of actions or their logits out."""
