"""Write what torchvision answers to the images of ``torchvision_logits.py``, or timm where torchvision lacks
a network.

Needs torch, torchvision and timm: ``python tests/models/record_torchvision.py [NAME …]``; without
a name all that are recorded.
"""

from __future__ import annotations

import json
import os
import sys

import timm
import torch
import torchvision

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
from torchvision_logits import PATH, SETTINGS, image, kept, value

TIMM = {
    "inception_v4": "inception_v4",
    "res2net50_26w_4s": "res2net50_26w_4s",
    "se_resnet50": "seresnet50",
}


def main() -> None:
    with open(PATH) as f:
        found = json.load(f)
    for name in sys.argv[1:] or found:
        if name in TIMM:
            net = timm.create_model(TIMM[name])
        else:
            net = torchvision.models.get_model(name, weights=None, **SETTINGS.get(name, {}))
        net.eval()
        for n, t in net.state_dict().items():
            if t.is_floating_point():
                t.copy_(torch.from_numpy(value(n, tuple(t.shape))))
        with torch.no_grad():
            found[name] = kept(net(torch.from_numpy(image(name))).numpy())
        print(name, found[name][:3], found[name][-1], flush=True)
        rows = (f'"{n}": {json.dumps(found[n])}' for n in sorted(found))
        with open(PATH, "w") as f:
            f.write("{\n" + ",\n".join(rows) + "\n}\n")


if __name__ == "__main__":
    main()
