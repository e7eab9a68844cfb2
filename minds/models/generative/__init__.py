"""Networks that make images, and those that they are trained against."""
