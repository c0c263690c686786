"""Contacts that friction locks against each other: Newton's joint law has no impulse, Poisson's has one."""

from __future__ import annotations

import pytest

import jounce
from tests.families.flying import funnel
from tests.families.locking import newton_has_no_solution

#: A particle that rattles into the tip of a funnel whose friction can hold it between both walls.
STEEP = {"g": 11.442057217889182, "a": 1.2246582163556816, "b": 0.8033800390838547, "mu": 0.7664523530991699}


@pytest.fixture(scope="module")
def system() -> jounce.System:
    return jounce.compile_model(funnel())


def run_of(system: jounce.System, law: str, simultaneous: str, **changed: float) -> jounce.Trajectory:
    options = jounce.Options(law=law, simultaneous=simultaneous, joint_gap=1e-9)
    values = {**STEEP, "e": 0.4784051870345524, **changed}
    return jounce.simulate(system, {"x": 0.02, "y": 1.5, "d_x": 0.7}, 6.0, options=options, **values)


@pytest.mark.parametrize("law", ["newton", "energetic"])
def test_newtons_joint_law_has_no_solution_there(system: jounce.System, law: str) -> None:
    run = run_of(system, law, "joint")
    assert run.status.name == "LAW_FAILED"
    assert newton_has_no_solution(run)
    assert "law='poisson', which has one" in run.status.message


@pytest.mark.parametrize(("law", "simultaneous"), [("poisson", "joint"), ("energetic", "sequential")])
def test_what_the_message_advises_comes_to_rest(system: jounce.System, law: str, simultaneous: str) -> None:
    run = run_of(system, law, simultaneous)
    assert run.status.name == "AT_REST"
    assert run.audit("dense").empty


def test_the_proof_does_not_hold_where_the_law_has_a_solution(system: jounce.System) -> None:
    """Little friction: the same collision of both walls has impulses."""
    run = run_of(system, "newton", "joint", mu=0.1)
    assert run.status.name != "LAW_FAILED"
    assert not newton_has_no_solution(run)
