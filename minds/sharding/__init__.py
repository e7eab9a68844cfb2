"""Programs on many devices: layouts, their propagation and search, and the parts that devices run."""
