"""Write what torchvision and transformers answer to the cases of ``shared.py`` to ``logits.json``.

Needs torch, torchvision and transformers: ``python tests/models/record_logits.py [NAME …]``.
"""

from __future__ import annotations

import json
import os
import sys

import torch
import torchvision.models as v
import transformers as t
from torchvision.models import detection
from torchvision.ops.feature_pyramid_network import LastLevelP6P7

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)
from shared import BERT, CASES, told, value

PATH = os.path.join(HERE, "logits.json")


def tensors(arrays):
    return [
        torch.from_numpy(a).long() if a.dtype.kind == "i" else torch.from_numpy(a) for a in arrays
    ]


def bert_config():
    return t.BertConfig(
        vocab_size=50,
        hidden_size=32,
        num_hidden_layers=2,
        num_attention_heads=4,
        intermediate_size=4 * BERT["width"],
        max_position_embeddings=20,
    )


def bert():
    net = t.BertModel(bert_config())
    return net, lambda ids, kinds, counts: net(ids, counts, kinds)[:2]


def bert_masked():
    net = t.BertForMaskedLM(bert_config())
    return net, lambda ids, kinds, counts: net(ids, counts, kinds)[:1]


def gpt2():
    net = t.GPT2LMHeadModel(
        t.GPT2Config(vocab_size=50, n_positions=20, n_embd=32, n_layer=2, n_head=4)
    )
    return net, lambda ids: net(ids)[:1]


def llama(kind=t.LlamaConfig, make=t.LlamaForCausalLM, **more):
    config = kind(
        vocab_size=50,
        hidden_size=32,
        intermediate_size=48,
        num_hidden_layers=2,
        num_attention_heads=4,
        num_key_value_heads=2,
        rms_norm_eps=1e-5,
        tie_word_embeddings=False,
        **more,
    )
    net = make(config)
    return net, lambda ids: (net(ids)[0],)


def mixtral():
    rope = {"rope_type": "default", "rope_theta": 10000.0}
    return llama(
        t.MixtralConfig,
        t.MixtralForCausalLM,
        num_local_experts=4,
        num_experts_per_tok=2,
        rope_parameters=rope,
    )


def t5():
    net = t.T5ForConditionalGeneration(
        t.T5Config(vocab_size=50, d_model=32, d_kv=8, d_ff=48, num_layers=2, num_heads=4)
    )
    return net, lambda ids, out, counts: net(ids, counts, decoder_input_ids=out)[:1]


def deeplab():
    net = v.segmentation.deeplabv3_resnet50(weights=None, weights_backbone=None, aux_loss=True)
    return net, lambda x: (net(x)["out"],)


def retinanet():
    fpn = detection.backbone_utils._resnet_fpn_extractor
    further = LastLevelP6P7(256, 256)
    body = fpn(v.resnet18(weights=None), 5, returned_layers=[2, 3, 4], extra_blocks=further)
    sizes = detection.retinanet._default_anchorgen()
    net = detection.RetinaNet(body, 3, anchor_generator=sizes)

    def call(x):
        out = net.head(list(net.backbone(x).values()))
        return out["cls_logits"], out["bbox_regression"]

    return net, call


def ssd():
    net = detection.ssd300_vgg16(weights=None, weights_backbone=None)

    def call(x):
        levels = list(net.backbone(x).values())
        out = net.head(levels)
        images = detection.image_list.ImageList(x, [(300, 300)])
        boxes = net.anchor_generator(images, levels)[0]
        return out["cls_logits"], out["bbox_regression"], boxes

    return net, call


def fasterrcnn(make=detection.fasterrcnn_resnet50_fpn):
    net = make(weights=None, weights_backbone=None)

    def call(x, boxes):
        levels = net.backbone(x)
        scores, ways = net.rpn.head(list(levels.values()))
        n, a, h, w = scores[0].shape
        scores = scores[0].permute(0, 2, 3, 1).reshape(n, -1)
        ways = ways[-1].reshape(n, a, 4, *ways[-1].shape[2:]).permute(0, 3, 4, 1, 2)
        heads = net.roi_heads
        seen = heads.box_roi_pool(levels, [boxes[0]], [(128, 128)])
        out = scores, ways, *heads.box_predictor(heads.box_head(seen))
        if heads.mask_roi_pool is None:
            return out
        seen = heads.mask_roi_pool(levels, [boxes[0]], [(128, 128)])
        return *out, heads.mask_predictor(heads.mask_head(seen))

    return net, call


def maskrcnn():
    return fasterrcnn(detection.maskrcnn_resnet50_fpn)


def main() -> None:
    """Record the named cases, or all."""
    torch.set_num_threads(1)
    kept = {}
    if os.path.exists(PATH):
        with open(PATH) as f:
            kept = json.load(f)
    for name in sys.argv[1:] or CASES:
        net, call = globals()[name]()
        net.eval()
        with torch.no_grad():
            for i, p in enumerate(net.parameters()):
                norm = p.ndim == 1 and _is_weight(net, p)
                p.copy_(torch.from_numpy(value(i, tuple(p.shape), norm)))
            out = call(*tensors(CASES[name].inputs()))
        kept[name] = told([a.numpy() for a in out])
        print(name, sum(p.numel() for p in net.parameters()), kept[name][0][:4])
    with open(PATH, "w") as f:
        json.dump(kept, f, indent=0)


def _is_weight(net, parameter) -> bool:
    return any(p is parameter and n.endswith("weight") for n, p in net.named_parameters())


if __name__ == "__main__":
    main()
