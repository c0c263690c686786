"""A newer request ends the older one: how much work lies between two looks at the flag, in every panel."""

from __future__ import annotations

import threading
import time
from itertools import pairwise
from typing import Any

import pytest

import jounce
from jounce.kernels.audit.run import audit_run
from jounce.simulation.audit import motion as audit_motion
from jounce.simulation.watch import look, watched
from jounce.studio.catalogue import Catalogue
from jounce.studio.connection import HANDLERS, Connection
from jounce.studio.jobs import Cancelled, Crew, Job
from jounce.studio.preparation import Preparation
from jounce.studio.protocol import Fields

from .test_impact_panel import MAP

LONGEST = 0.05  # s of processor time between two looks, so from any cancelling to the end of the work
BALL = {"system": "ball_on_table", "parameters": {"e": 0.5}}
CASCADE = {
    **BALL, "parameter": "omega", "from": 3.3, "to": 4.15, "values": 40, "section": "impact:table", "quantity": "d_y",
    "transient": 600, "keep": 60, "direction": "up", "start": {"y": 1.86, "d_y": -7.2},
}  # fmt: skip


def work_between_looks(
    page: Connection, kind: str, request: dict[str, Any], monkeypatch: pytest.MonkeyPatch
) -> list[float]:
    """The processor time of the job's thread between looks, from the request to its end."""
    job = Job(HANDLERS[kind][0], 1, lambda *_: None)
    times, watching = [], 0.0

    def ask() -> None:
        times.append(time.thread_time() - watching)

    class Audit:  # this kernel looks at the flag at every step
        def from_python(self, *arguments: Any) -> None:
            nonlocal watching
            began = time.thread_time()
            audit_run.from_python(*arguments)
            watching += time.thread_time() - began

    monkeypatch.setattr(audit_motion, "audit_run", Audit())

    job.check = ask  # type: ignore[method-assign]  what handlers call between their parts
    with watched(ask, job.flag):
        ask()
        page.answer(kind, Fields(request, "request"), job)
        ask()
    return [after - before for before, after in pairwise(times)]


@pytest.mark.parametrize(
    ("kind", "request_", "before"),
    [
        ("motion", {"system": "quick_return", "t_end": 3.0}, {}),
        ("motion", {"system": "four_bar", "t_end": 1000.0}, {}),
        ("motion", {"system": "slender_rod", "t_end": 3000.0, "parameters": {"omega": 4.405, "e": 0.8}}, {}),
        ("details", {}, {"motion": {"system": "slender_rod", "t_end": 3000.0, "parameters": {"omega": 4.405}}}),
        ("window", {"from": 0.0, "to": 9.0}, {"motion": {"system": "slender_rod", "t_end": 9.0}}),
        ("painleve", {**MAP, "points": 200}, {}),
        ("pick", {"value": 3.5, "y": 8.9}, {"diagram": CASCADE}),
        ("branch", {"value": 3.5, "y": 8.9}, {"diagram": CASCADE}),
        ("impact", {"A": 2.0, "B": 0.5, "C": 3.0, "v_t": 1.0, "v_n": -1.0, "mu": 0.5, "e": 0.5}, {}),
    ],
)
def test_no_long_work_lies_between_two_looks(
    kind: str, request_: dict[str, Any], before: dict[str, dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    page = Connection(Catalogue(), Crew(2), "slender_rod")
    for earlier, content in before.items():
        page.answer(earlier, Fields(content, "request"), Job(earlier, 0, lambda *_: None))
    page.answer(kind, Fields(request_, "request"), Job(kind, 0, lambda *_: None))  # memory comes with the first
    gaps = work_between_looks(page, kind, request_, monkeypatch)
    assert len(gaps) > 1
    assert max(gaps) < LONGEST, sorted(gaps)[-3:]


def test_a_job_that_waits_for_a_model_can_be_cancelled_and_the_model_is_made_all_the_same() -> None:
    preparation, go_on, made = Preparation(), threading.Event(), []

    def make() -> str:
        go_on.wait(10.0)
        made.append("model")
        return "model"

    looks = []

    def ask() -> None:
        looks.append(1)
        if len(looks) == 3:
            raise Cancelled

    with pytest.raises(Cancelled), watched(ask, Job("motion", 1, lambda *_: None).flag):
        preparation.get("rod", make)
    go_on.set()
    end = time.perf_counter() + 10.0
    while not made and time.perf_counter() < end:
        time.sleep(0.001)
    assert made == ["model"]  # though nobody waits for it any more


def test_who_asks_for_the_same_at_once_waits_for_the_same() -> None:
    preparation, go_on, made = Preparation(), threading.Event(), []

    def make() -> int:
        go_on.wait(10.0)
        made.append(1)
        return len(made)

    found: list[int] = []
    askers = [threading.Thread(target=lambda: found.append(preparation.get("rod", make))) for _ in range(4)]
    for asker in askers:
        asker.start()
    while len(preparation._under_way) == 0:
        time.sleep(0.001)
    time.sleep(0.05)
    go_on.set()
    for asker in askers:
        asker.join()
    assert found == [1, 1, 1, 1]


def test_what_cannot_be_made_is_told_to_everybody_and_tried_again() -> None:
    preparation = Preparation()

    def refuse() -> None:
        raise jounce.errors.OptionError("no such system")

    for _ in range(2):
        with pytest.raises(jounce.errors.OptionError, match="no such system"):
            preparation.get("rod", refuse)
    assert preparation.get("rod", lambda: 3) == 3


def test_a_watch_ends_its_own_thread_and_no_other() -> None:
    job = Job("motion", 1, lambda *_: None)
    job.cancel()
    ended, others = [], []

    def work() -> None:
        try:
            with watched(job.check, job.flag):
                look()
        except Cancelled:
            ended.append(1)

    def other() -> None:
        look()
        others.append(1)

    for target in (work, other):
        thread = threading.Thread(target=target)
        thread.start()
        thread.join()
    look()
    assert (ended, others) == ([1], [1])


def test_an_audit_that_is_cancelled_reports_nothing_and_the_run_ends() -> None:
    system = jounce.compile_model(jounce.systems.slender_rod())
    job, looks = Job("motion", 1, lambda *_: None), []

    def ask() -> None:
        looks.append(1)
        job.check()

    with watched(ask, job.flag):
        run = jounce.simulate(system, system.state(), 5.0, omega=4.405, e=0.8)
        job.cancel()
        with pytest.raises(Cancelled):
            run.audit()
    assert looks
    assert len(run.audit()) == 0
