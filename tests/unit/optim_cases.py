"""Optimizers and schedulers that are compared with torch's: options, gradients, values."""

OPTIMIZERS = {
    "SGD": [
        {"lr": 0.1},
        {"lr": 0.1, "momentum": 0.9},
        {"lr": 0.1, "momentum": 0.9, "nesterov": True, "weight_decay": 0.01},
        {"lr": 0.1, "momentum": 0.8, "dampening": 0.3, "maximize": True},
    ],
    "Adam": [{"lr": 0.1}, {"lr": 0.1, "weight_decay": 0.1, "amsgrad": True}, {"maximize": True}],
    "AdamW": [{"lr": 0.1}, {"lr": 0.1, "weight_decay": 0.3, "amsgrad": True}, {"maximize": True}],
    "Adamax": [{"lr": 0.1}, {"weight_decay": 0.2, "maximize": True}],
    "NAdam": [{"lr": 0.1}, {"lr": 0.1, "weight_decay": 0.1, "momentum_decay": 0.1}],
    "RAdam": [{"lr": 0.1}, {"lr": 0.1, "betas": (0.8, 0.9), "weight_decay": 0.1}],
    "Adagrad": [{"lr": 0.1}, {"lr": 0.1, "lr_decay": 0.2, "initial_accumulator_value": 0.5}],
    "Adadelta": [{"lr": 1.0}, {"lr": 0.5, "rho": 0.7, "weight_decay": 0.1, "maximize": True}],
    "RMSprop": [{"lr": 0.1}, {"lr": 0.1, "momentum": 0.9, "centered": True, "weight_decay": 0.1}],
    "Rprop": [{"lr": 0.1}, {"lr": 0.1, "etas": (0.3, 1.5), "step_sizes": (0.05, 0.12)}],
    "ASGD": [{"lr": 0.1}, {"lr": 0.1, "lambd": 0.1, "alpha": 0.5, "t0": 2.0, "weight_decay": 0.1}],
}
STEPS = 7
BEGIN = [[1.0, -2.0, 0.5], [0.75, 4.0]]


def gradient(step: int, values):
    """The gradients of a bowl whose middle moves."""
    return [
        [2 * (v - 0.3 * (i + 1)) * (1 if (step + i) % 3 else -0.5) for i, v in enumerate(vs)]
        for vs in values
    ]


SCHEDULERS = {
    "StepLR": [{"step_size": 3}, {"step_size": 2, "gamma": 0.5}],
    "MultiStepLR": [{"milestones": [2, 5, 5]}],
    "ConstantLR": [{}, {"factor": 0.5, "total_iters": 3}],
    "LinearLR": [{}, {"start_factor": 0.5, "end_factor": 0.8, "total_iters": 4}],
    "ExponentialLR": [{"gamma": 0.8}],
    "PolynomialLR": [{}, {"total_iters": 6, "power": 2.0}],
    "CosineAnnealingLR": [{"T_max": 5}, {"T_max": 3, "eta_min": 0.01}],
    "CosineAnnealingWarmRestarts": [{"T_0": 4}, {"T_0": 2, "T_mult": 2, "eta_min": 0.01}],
    "CyclicLR": [
        {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 3},
        {
            "base_lr": 0.1,
            "max_lr": 0.5,
            "step_size_up": 2,
            "step_size_down": 3,
            "mode": "triangular2",
        },
        {"base_lr": 0.1, "max_lr": 0.5, "step_size_up": 4, "mode": "exp_range", "gamma": 0.9},
    ],
}
EPOCHS = 12
PLATEAUS = [
    {"patience": 1},
    {"patience": 0, "factor": 0.5, "cooldown": 1, "min_lr": 0.05},
    {"mode": "max", "patience": 1, "threshold": 0.1, "threshold_mode": "abs"},
]
VALUES = [1.0, 0.9, 0.95, 0.96, 0.5, 0.5, 0.5, 0.49999, 0.7, 0.8, 0.2, 0.9]
