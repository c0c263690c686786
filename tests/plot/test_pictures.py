"""Pictures: that they show what they claim, not how they look."""

from __future__ import annotations

import numpy as np
import pytest
from matplotlib.collections import LineCollection, PolyCollection
from matplotlib.colors import to_rgb

import jounce
from jounce import Model, OptionError, Reset, coordinate, discrete, plot
from jounce.plot import style
from jounce.plot.sampling import jump_times, sample
from jounce.simulation.modes import Mode
from tests.trajectory.handmade import BallRun, sliding_block


def test_time_history_breaks_the_line_at_jumps():
    made = BallRun()
    times, states = sample(made.trajectory())
    assert np.isnan(states[:, 1]).sum() == len(made.sides)
    for t, _, before, after in made.sides:
        at = np.flatnonzero(np.isnan(states[:, 1]) & (times == t))[0]
        assert states[at - 1, 1] == pytest.approx(before, abs=1e-12)
        assert states[at + 1, 1] == after
    assert np.all(np.diff(times) >= 0)


def test_jump_times_are_only_the_jumps():
    made = BallRun()
    np.testing.assert_array_equal(jump_times(made.trajectory()), [side[0] for side in made.sides])
    assert len(jump_times(sliding_block())) == 0, "stick and schedule change no state"


def test_time_history_shows_discrete_states_as_steps_and_marks_resets():
    x, dx = coordinate("x", "m")
    turns = discrete("turns")
    model = Model.from_lagrangian(
        "pacer", coordinates=[x], kinetic=dx**2 / 2, resets=[Reset(x**2 - 1, {dx: -dx, turns: turns + 1}, direction=1)],
        start={dx: 1.0},
    )  # fmt: skip
    figure = plot.plot_time_history(jounce.simulate(model, None, 4.5))
    assert [axes.get_ylabel() for axes in figure.axes] == ["x [m]", "dx/dt [m/s]", "turns"]
    (steps,) = (line for line in figure.axes[-1].lines if line.get_drawstyle() == "steps-post")
    assert list(np.unique(steps.get_ydata())) == [0.0, 1.0, 2.0]
    marks = [line.get_xdata()[0] for line in figure.axes[0].lines if line.get_linestyle() == ":"]
    assert marks == pytest.approx([1.0, 3.0])


def test_time_history_shades_the_modes_and_ticks_the_impacts():
    figure = plot.plot_time_history(sliding_block())
    labels = [axes.get_ylabel() for axes in figure.axes[:-1]]
    assert labels == ["x [m]", "y [m]"]
    shades = {tuple(c.get_facecolor()[0][:3]) for c in figure.axes[0].collections if isinstance(c, PolyCollection)}
    assert to_rgb(style.MODE_SHADES[Mode.SLIP_POSITIVE]) in shades
    assert to_rgb(style.MODE_SHADES[Mode.STICK]) in shades
    assert [text.get_text() for text in figure.legends[0].get_texts()] == ["SLIP+", "STICK"]
    ball = plot.plot_time_history(BallRun().trajectory())
    ticks = [c for c in ball.axes[-1].collections if isinstance(c, LineCollection)]
    assert sum(len(c.get_segments()) for c in ticks) == 3
    assert [axes.get_ylabel() for axes in ball.axes[:-1]] == ["y [m]", "dy/dt [m/s]"]


def test_chosen_names():
    figure = plot.plot_time_history(sliding_block(), names=["d_x"])
    assert figure.axes[0].get_ylabel() == "dx/dt [m/s]"
    with pytest.raises(OptionError, match="it has: x, y, d_x, d_y"):
        plot.plot_time_history(sliding_block(), names=["z"])


def test_phase_portrait_and_energy_are_drawn(tmp_path):
    run = BallRun().trajectory()
    plot.plot_phase_portrait(run, "y").savefig(tmp_path / "phase.png")
    figure = plot.plot_energy(run)
    figure.savefig(tmp_path / "energy.svg")
    texts = [text.get_text() for text in figure.legends[0].get_texts()]
    assert texts == ["kinetic", "potential", "kinetic + potential", "impact loss", "surface work"]
    assert (tmp_path / "phase.png").stat().st_size > 1000


def test_animation_has_real_time_and_a_moving_floor(tmp_path):
    from PIL import Image

    run = BallRun().trajectory()
    plot.animate(run, tmp_path / "ball.gif", fps=20)
    with Image.open(tmp_path / "ball.gif") as film:
        assert film.n_frames == int(run.t_end * 20) + 1
        assert film.info["duration"] == 50
        heights = []
        for frame in (0, film.n_frames // 2):
            film.seek(frame)
            pixels = np.asarray(film.convert("RGB")).astype(int)
            ground = (np.abs(pixels - 0xDD).max(axis=2) <= 2).sum(axis=1)
            heights.append(int(np.argmax(ground > pixels.shape[1] // 3)))
    floor = [0.2 * np.sin(3 * t) for t in (0.0, (int(run.t_end * 20) + 1) // 2 / 20)]
    assert floor[1] > floor[0]
    assert heights[1] < heights[0], "the floor has risen: its first row lies higher in the picture"


def test_contact_points_take_the_colour_of_the_mode():
    from jounce.plot.animation import _contact_colours

    run = sliding_block()
    colours = _contact_colours(run, np.array([0.1, run.t_end - 0.1]), flash=0.0)["floor"]
    assert colours == [style.MODE_COLOURS[Mode.SLIP_POSITIVE], style.MODE_COLOURS[Mode.STICK]]
    made = BallRun()
    t = made.sides[0][0]
    assert _contact_colours(made.trajectory(), np.array([t - 0.01, t + 0.01]), flash=0.05)["floor"] == [
        style.MODE_COLOURS[Mode.OPEN],
        style.RED,
    ]


def test_animation_refusals(tmp_path):
    with pytest.raises(OptionError, match="no drawing"):
        plot.animate(sliding_block(), tmp_path / "block.gif")
    with pytest.raises(OptionError, match=r"\*\.gif"):
        plot.animate(BallRun().trajectory(), tmp_path / "ball.avi")
    with pytest.raises(OptionError, match="fps"):
        plot.animate(BallRun().trajectory(), tmp_path / "ball.gif", fps=0)


@pytest.mark.parametrize(
    ("name", "shown"),
    [
        *(
            ("theta", "θ"),
            ("d_phi1", "dφ1/dt"),
            ("x", "x"),
            ("thetax", "thetax"),
            ("mu_s", "μ_s"),
            ("rod_theta", "rod_θ"),
        ),
        *(("wheel_theta", "wheel_θ"), ("d_wheel_theta", "d(wheel_θ)/dt"), ("d_phi_bird", "dφ_bird/dt")),
        *(("multiplier_0", "multiplier_0"), ("alphabet2", "alphabet2")),
    ],
)
def test_symbols_on_axes(name, shown):
    assert style.symbol(name) == shown


def test_restitution_of_laws_reaches_what_was_asked() -> None:
    """Laws that are made for a restitution reach it where they lose little, and nothing loses more than everything."""
    from jounce.plot.restitution import laws_asked, plot_restitution

    figure = plot_restitution(points=4)
    lines = [line for axes in figure.axes for line in axes.lines if len(line.get_xdata()) == 4]
    assert {axes.get_xlabel() != "" for axes in figure.axes} == {True}
    assert len(lines) >= len(laws_asked(0.5))
    for line in lines:
        reached = np.asarray(line.get_ydata(), dtype=float)
        assert np.all((reached[np.isfinite(reached)] >= -1e-9) & (reached[np.isfinite(reached)] <= 1 + 1e-9))
    assert jounce.achieved_restitution(laws_asked(1.0)["Hertz"], 1.0) == pytest.approx(1.0, abs=1e-9)


def test_time_history_shows_no_noise_of_rounding() -> None:
    lever = jounce.Body("lever", mass=0.3, inertia=1e-3, angle=0.4)
    pin = jounce.Revolute("pin", jounce.ground, lever, (0.3, 0.0), (0.0, 0.0))
    guided = jounce.Body("guided", mass=1.0, inertia=1e-3, center=(0.5, 0.0), velocity=(1.0, 0.0))
    guide = jounce.Translational("guide", jounce.ground, guided, (0.0, 1e-17))
    machine = jounce.Model.from_bodies("two", bodies=[lever, guided], joints=[pin, guide])
    run = jounce.simulate(machine, None, 1.0)
    figure = plot.plot_time_history(run, ["guided_x", "guided_y"])
    moves, held = (np.diff(axes.get_ylim())[0] for axes in figure.axes)
    assert moves == pytest.approx(1.1, rel=1e-3)
    assert held >= 1e-12, "a picture of rounding"
