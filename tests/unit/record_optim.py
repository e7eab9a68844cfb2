"""Writes optim_reference.json: the numbers of torch's optimizers and schedulers for optim_cases.

Run by a Python that has torch, in this folder.
"""

import json

import optim_cases as cases
import torch


def run_optimizer(name, options):
    ps = [torch.nn.Parameter(torch.tensor(v, dtype=torch.float64)) for v in cases.BEGIN]
    optimizer = getattr(torch.optim, name)(ps, **{"foreach": False, **options})
    for step in range(cases.STEPS):
        for p, g in zip(ps, cases.gradient(step, [p.tolist() for p in ps])):
            p.grad = torch.tensor(g, dtype=torch.float64)
        optimizer.step()
    return [p.tolist() for p in ps]


def optimizer_of_two_groups():
    a, b = (torch.nn.Parameter(torch.tensor(v)) for v in cases.BEGIN)
    groups = [{"params": [a]}, {"params": [b], "lr": 0.02}]
    return torch.optim.SGD(groups, lr=0.4, momentum=0.9)


def rates(optimizer):
    return [group["lr"] for group in optimizer.param_groups]


def run_scheduler(name, options):
    optimizer = optimizer_of_two_groups()
    more = {"cycle_momentum": False} if name == "CyclicLR" else {}
    scheduler = getattr(torch.optim.lr_scheduler, name)(optimizer, **options, **more)
    found = [rates(optimizer)]
    for _ in range(cases.EPOCHS):
        optimizer.step()
        scheduler.step()
        found.append(rates(optimizer))
    return found


def run_plateau(options):
    optimizer = optimizer_of_two_groups()
    scheduler, found = torch.optim.lr_scheduler.ReduceLROnPlateau(optimizer, **options), []
    for value in cases.VALUES:
        scheduler.step(value)
        found.append(rates(optimizer))
    return found


if __name__ == "__main__":
    result = {
        "torch": torch.__version__,
        "optimizers": {
            n: [run_optimizer(n, o) for o in rows] for n, rows in cases.OPTIMIZERS.items()
        },
        "schedulers": {
            n: [run_scheduler(n, o) for o in rows] for n, rows in cases.SCHEDULERS.items()
        },
        "plateaus": [run_plateau(o) for o in cases.PLATEAUS],
    }
    with open("optim_reference.json", "w", encoding="utf-8") as f:
        json.dump(result, f)
