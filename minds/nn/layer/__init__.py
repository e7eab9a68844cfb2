"""The layers, by family; `minds.nn` exports them all."""
