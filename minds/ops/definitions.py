"""Every family of ops: importing this puts all definitions into the registry `P`."""

from . import (
    activations,
    arith,
    array,
    attention,
    bessel,
    comm,
    compare,
    control,
    conv,
    create,
    cumulative,
    each_conv,
    elementwise,
    index,
    joined,
    linalg,
    loss,
    matmul,
    norm,
    order,
    pool,
    quantized,
    random,
    reduce,
    scalar,
    slice,
    softmax,
    special,
    staged,
    summary,
    trig,
)

# isort: split
from . import complex
