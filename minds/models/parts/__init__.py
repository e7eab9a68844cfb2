"""What networks of several areas are made of: attention, experts, boxes."""
