"""``python -m minds.launch -n 4 train.py``: one program in several processes of this machine."""
