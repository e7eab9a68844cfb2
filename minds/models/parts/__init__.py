"""What networks of several areas are made of: convolutions, attention, experts, boxes."""
