"""The studio in a notebook: ``jounce.show`` for a result, ``jounce.explore`` for a system.

``show`` needs no extra: its page holds the result and plays in any notebook, also in one that was exported. ``explore``
is a widget with the engine behind it (extra ``notebook``: anywidget), in Jupyter, marimo and their kin.
"""

from __future__ import annotations

import html
import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

import numpy as np

import jounce
from jounce.errors import OptionError
from jounce.studio.protocol import VIEWS, plain

if TYPE_CHECKING:
    from jounce import Diagram, Model, System, Trajectory

JOBS = 4  # threads of one widget
HEIGHT = 600  # pixels: what marimo shows of an output without a scroll bar


class Page:
    """A page that a notebook shows; ``save`` writes it to a file of its own."""

    def __init__(self, content: bytes, height: int = HEIGHT) -> None:
        self.content, self.height = content, height

    def _repr_html_(self) -> str:
        style = f"width:100%;height:{self.height}px;border:0"
        frame = html.escape(self.content.decode())
        return f'<iframe srcdoc="{frame}" style="{style}" sandbox="allow-scripts"></iframe>'

    def save(self, path: str) -> None:
        """Write the page to a file that opens without a server."""
        from pathlib import Path

        Path(path).write_bytes(self.content)

    def __repr__(self) -> str:
        return f"<Page of {len(self.content) // 1024} kB: shown in a notebook; .save('file.html') keeps it>"


def show(result: Trajectory | Diagram, quantity: str | None = None, *, height: int = HEIGHT) -> Page:
    """A run that plays, or a diagram to look into, as a page inside a notebook.

    quantity   of a diagram: what its points are; default: the first coordinate

    >>> ball = jounce.systems.bouncing_ball()
    >>> run = jounce.simulate(ball, {"y": 1.0}, t_end=1.0)
    >>> jounce.show(run).save("run.html")  # in a notebook jounce.show(run) plays it below the cell
    """
    from jounce.analysis.attractors.diagram import Diagram
    from jounce.plot.shapes import Drawing
    from jounce.simulation.trajectory import Trajectory
    from jounce.studio.catalogue import Entry
    from jounce.studio.film import diagram_page, film_page
    from jounce.studio.motion import Motion

    if isinstance(result, Trajectory):
        entry = Entry(result.system, Drawing(result.model), result.model.name)
        motion = Motion(entry, dict(result.parameters), result.start, result.t_end, result.options)
        return Page(film_page(motion, result, _session_of(result)), height)
    if isinstance(result, Diagram):
        entry = Entry(jounce.compile_model(result.model), Drawing(result.model), result.model.name)
        return Page(diagram_page(result, entry, quantity or entry.system.coordinate_names[0]), height)
    raise OptionError(f"show takes a run of simulate or a diagram of sweep, not {type(result).__name__}")


def _session_of(run: Trajectory) -> dict[str, Any]:
    start = run.start.as_dict()
    start.pop("t")
    return {
        "jounce_studio": 1, "system": run.model.name, "model": None, "on": [], "parameters": run.parameters,
        "start": start, "t_start": run.t_start, "t_end": run.t_end, "options": {}, "panel": "motion", "variables": [],
        "speed": 1.0, "trails": True, "diagram": None, "basins": None, "impact": None,
    }  # fmt: skip


def explore(system: System | Model | str = "slender_rod") -> Any:
    """The studio of a system as a widget: every panel, with this process as its engine.

    >>> studio = jounce.explore("ball_on_table")  # doctest: +SKIP
    """
    from jounce.studio.catalogue import Catalogue

    if isinstance(system, str):
        return _explorer()(Catalogue(), system)
    model = system.model if isinstance(system, jounce.System) else system
    if not isinstance(model, jounce.Model):
        raise OptionError(f"explore takes a system, a model or the name of one, not {type(system).__name__}")
    return _explorer()(Catalogue(model), model.name)


@lru_cache(maxsize=1)
def _explorer() -> type[Any]:
    """The class of the widget, made when it is first needed: it needs the extra."""
    try:
        import anywidget
    except ImportError:
        raise OptionError("explore needs anywidget: pip install 'jounce[notebook]'") from None
    from jounce.studio.connection import Connection
    from jounce.studio.jobs import Crew, Desk, Job

    class Explorer(anywidget.AnyWidget):  # type: ignore[misc]
        """The page of the studio, with messages of the notebook in place of a WebSocket."""

        _esm = (files("jounce.studio") / "static" / "studio.js").read_text(encoding="utf-8")

        def __init__(self, catalogue: Any, first: str) -> None:
            super().__init__()
            self._connection = Connection(catalogue, Crew(JOBS), first)
            self._desk = Desk(self._connection.crew, self._take)
            self.on_msg(self._receive)

        def _take(self, job: Job, content: Mapping[str, Any], arrays: Sequence[np.ndarray]) -> None:
            self._say(content, arrays)

        def _say(self, content: Mapping[str, Any], arrays: Sequence[np.ndarray] = ()) -> None:
            shapes = [[VIEWS[array.dtype.name], array.size] for array in arrays]
            self.send(plain({**content, "buffers": shapes}), [array.tobytes() for array in arrays])

        def _receive(self, _: Any, content: Any, __: Any) -> None:
            if isinstance(content, dict) and content.get("type") == "hello":
                self._say(self._connection.greeting())
                return
            refusal = self._connection.take(self._desk, json.dumps(content))
            if refusal is not None:
                self._say(refusal)

        def close(self) -> None:
            self._desk.close()
            super().close()

    return Explorer
