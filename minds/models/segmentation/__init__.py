"""Networks that tell to which of some classes each pixel belongs."""
