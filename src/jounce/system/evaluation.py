"""Compiled model functions from Python: at one state, or at many."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from jounce.kernels.records.workspace import CONTACT_STRIDE, JOINT_STRIDE, PAIR

if TYPE_CHECKING:
    from jounce.system.system import System


def values_of(function: Any, size: int, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """What the function writes, ``size`` numbers."""
    from jounce.toolchain.jit import evaluate

    out = np.full(size, np.nan)
    evaluate(function, float(t), np.asarray(q), np.asarray(u), np.asarray(p), out)
    return out


def rows_of(function: Any, size: int, t: np.ndarray, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """What the function writes at every row (t, q, u), ``size`` numbers each; no compliant contact is pressed."""
    from jounce.toolchain.call_rows import call_rows
    from jounce.toolchain.jit import MEMORY

    out = np.full((len(t), size), np.nan)
    t, q, u = (np.ascontiguousarray(values, dtype=np.float64) for values in (t, q, u))
    call_rows(function.address, t, q, u, np.concatenate([p, np.zeros(MEMORY)]), out)
    return out


def contact_width(system: System) -> int:
    """How many numbers a model gives of one contact: g, gamma_N, gamma_T, c_N, c_T, W_N, W_T."""
    return CONTACT_STRIDE + 2 * system.n


def joint_width(system: System) -> int:
    """How many numbers a model gives of one joint: g, g', c, J."""
    return JOINT_STRIDE + system.n


def contact_rows(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """(g, gamma_N, gamma_T, c_N, c_T, W_N, W_T), one row a contact."""
    width = contact_width(system)
    return values_of(system.functions.contacts, system.nc * width, t, q, u, p).reshape(system.nc, width)


def joint_rows(system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray) -> np.ndarray:
    """(g, g', c, J), one row a joint."""
    width = joint_width(system)
    return values_of(system.functions.joints, system.nj * width, t, q, u, p).reshape(system.nj, width)


def contact_directions(rows: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """W_N and W_T in rows of contacts."""
    n = (rows.shape[-1] - CONTACT_STRIDE) // 2
    return rows[..., CONTACT_STRIDE : CONTACT_STRIDE + n], rows[..., CONTACT_STRIDE + n :]


def joint_directions(rows: np.ndarray) -> np.ndarray:
    """J in rows of joints."""
    return rows[..., JOINT_STRIDE:]


def normal_directions(
    system: System, t: float, q: np.ndarray, u: np.ndarray, p: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """W_N of every contact, [contacts, entries], and the coordinates of the entries: all, or those of two bodies."""
    near, nc = system.near, system.nc
    function, entries = (system.functions.contacts, system.n) if near is None else (near.contacts, PAIR)
    width = CONTACT_STRIDE + 2 * entries
    rows = values_of(function, width * nc, t, q, u, p).reshape(nc, width)
    columns = np.broadcast_to(np.arange(system.n), (nc, system.n)) if near is None else near.columns
    return contact_directions(rows)[0], columns
