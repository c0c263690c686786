"""One new model in several threads at once."""

from __future__ import annotations

import threading
import time

import jounce


def test_threads_that_compile_one_new_model_agree() -> None:
    y, dy = jounce.coordinate("y", "m")
    weight = 9.0 + time.time_ns() % 10**9 * 1e-9  # new equations: nothing of them is on disk
    model = jounce.Model.from_lagrangian(
        "fresh",
        coordinates=[y],
        kinetic=dy**2 / 2,
        potential=weight * y,
        contacts=[jounce.Contact("floor", gap=y, restitution=0.5)],
        start={y: 1.0},
    )
    together = threading.Barrier(6)
    ends: list[jounce.State] = []
    errors: list[BaseException] = []

    def work() -> None:
        try:
            together.wait()
            system = jounce.compile_model(model)
            ends.append(jounce.simulate(system, system.state(), t_end=0.5).final)
        except BaseException as error:
            errors.append(error)

    threads = [threading.Thread(target=work) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert errors == []
    assert len(ends) == 6
    assert all(end == ends[0] for end in ends)
