"""The loop returns to Python now and then, for progress and for Ctrl-C: the motion must not know."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest

import jounce
from jounce.simulation import templates

SPANS = {"quick_return": 0.05, "slender_rod": 20.0, "wiper": 20.0, "rocking_block": 5.0, "four_bar": 5.0}


@pytest.mark.parametrize("name", SPANS)
def test_a_run_is_the_same_to_the_bit_however_often_it_pauses(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    system = jounce.compile_model(getattr(jounce.systems, name)())
    options, pauses = jounce.Options(), []
    whole = jounce.simulate(system, system.state(), SPANS[name], options=options)
    monkeypatch.setattr(templates, "PAUSE_STEPS", 3)
    other = replace(options, max_events=options.max_events - 1)  # records are prepared once for each set of options
    paused = jounce.simulate(system, system.state(), SPANS[name], options=other, progress=pauses.append)
    assert len(pauses) > len(whole.data.step_t) // 6
    np.testing.assert_array_equal(paused.data.step_coefficients, whole.data.step_coefficients)
    np.testing.assert_array_equal(paused.data.event_float, whole.data.event_float)
