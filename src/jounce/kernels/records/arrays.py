"""Numbers behind an address; nobody goes beyond what is there."""

import numpy as np

from jounce.toolchain.abi import record
from jounce.toolchain.jit import record_at

integers_at = record_at(record(np.dtype([("at", "i8", (1 << 20,))])))
numbers_at = record_at(record(np.dtype([("at", "f8", (1 << 20,))])))
