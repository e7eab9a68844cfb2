"""Floor 8: functions of functions: gradients, pullbacks, Jacobians, `vmap`, recomputation."""
