"""What MindSpore calls experimental."""
