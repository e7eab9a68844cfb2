"""Programs on many devices: layouts, their propagation, and the parts that devices run."""
