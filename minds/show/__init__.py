"""Floor 5: programs for people: as Python source, as a drawing."""
