"""The same motion from a frame that is turned, moved, mirrored or carried along, with bodies in another order."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pytest

import jounce
from jounce import Body, CircleOn, Line, Model, Spring, contact_between, ground

T_END = 1.0
Pair = tuple[float, float]


@dataclass(frozen=True)
class Frame:
    """A place x of the scene is at R M x + away + t carried; M mirrors x, R turns."""

    turn: float = 0.0
    mirrored: bool = False
    away: Pair = (0.0, 0.0)
    carried: Pair = (0.0, 0.0)
    order: int = 0

    @property
    def matrix(self) -> np.ndarray:
        c, s = np.cos(self.turn), np.sin(self.turn)
        return np.array([[c, -s], [s, c]]) @ np.diag([self.side, 1.0])

    @property
    def side(self) -> float:
        return -1.0 if self.mirrored else 1.0

    def direction(self, v: Pair) -> Pair:
        x, y = self.matrix @ v
        return float(x), float(y)

    def place(self, v: Pair) -> Pair:
        x, y = self.matrix @ v + self.away
        return float(x), float(y)


def seen(seed: int, frame: Frame, floor: bool) -> tuple[list[str], np.ndarray]:
    """Kinds of events, and [place, velocity, angle, spin] of every disc at the end, as the scene has them."""
    random = np.random.default_rng(seed)
    corners = [(-0.6, 0.6), (0.6, 0.6), (0.6, 1.8), (-0.6, 1.8)]
    bodies, radii, angles = [], random.uniform(0.15, 0.3, 4), random.uniform(-3, 3, 4)
    for k, corner in enumerate(corners):
        center = corner + random.uniform(-0.2, 0.2, 2)
        velocity = 2.0 * (np.array([0.0, 1.2]) - corner) + random.uniform(-1, 1, 2)
        mass = float(random.uniform(0.3, 3))
        vx, vy = np.array(frame.direction(tuple(velocity))) + frame.carried
        bodies.append(
            Body(
                f"b{k}", mass=mass, inertia=mass * float(radii[k]) ** 2 / 2, center=frame.place(tuple(center)),
                angle=frame.side * float(angles[k]) + frame.turn, velocity=(float(vx), float(vy)),
                spin=frame.side * float(random.uniform(-9, 9)),
            )
        )  # fmt: skip
    springs = [
        Spring(
            bodies[k], bodies[(k + 1) % 4], stiffness=float(random.uniform(5, 30)), rest_length=1.0, damping=0.2,
            at_first=(frame.side * 0.05, 0),
        )
        for k in range(3)
    ]  # fmt: skip
    numbers = {"friction": float(random.uniform(0.05, 0.7)), "restitution": float(random.uniform(0.1, 0.9))}
    discs = [CircleOn(body, (0, 0), float(r)) for body, r in zip(bodies, radii, strict=True)]
    contacts = [contact_between(f"c{i}{j}", discs[i], discs[j], **numbers) for i in range(4) for j in range(i)]
    gravity = frame.direction((0.0, -9.81)) if floor else (0.0, 0.0)
    if floor:
        along = frame.direction((frame.side, 0.0))
        plane = Line(ground, frame.place((0.0, 0.0)), along, speed=frame.side * 0.7)
        contacts += [contact_between(f"floor{k}", disc, plane, **numbers) for k, disc in enumerate(discs)]
    if frame.order:
        shuffle = np.random.default_rng(frame.order)
        bodies = [bodies[k] for k in shuffle.permutation(4)]
        contacts = [contacts[k] for k in shuffle.permutation(len(contacts))]
    model = Model.from_bodies("frames", bodies=bodies, forces=springs, contacts=contacts, gravity=gravity)
    system = jounce.compile_model(model, bodies="tables")
    run = jounce.simulate(system, None, T_END, options=jounce.Options(audit="dense"))
    assert run.status.ok, run.status
    ends = []
    for k in range(4):
        end = {
            name: run.final[f"{d}b{k}_{part}"]
            for d in ("", "d_")
            for part in ("x", "y", "theta")
            for name in [d + part]
        }
        place = np.array([end["x"], end["y"]]) - frame.away - T_END * np.array(frame.carried)
        velocity = np.array([end["d_x"], end["d_y"]]) - frame.carried
        turned = [frame.side * (end["theta"] - frame.turn), frame.side * end["d_theta"]]
        ends.append([*frame.matrix.T @ place, *frame.matrix.T @ velocity, *turned])
    return run.events.kind.tolist(), np.array(ends)


FRAMES = {
    "turned": Frame(turn=1.1),
    "mirrored": Frame(mirrored=True),
    "moved": Frame(away=(3.0, -1.0)),
    "turned and mirrored": Frame(turn=-2.3, mirrored=True, away=(1.0, 1.0)),
    "in another order": Frame(order=3),
}


@pytest.mark.parametrize("name", FRAMES)
@pytest.mark.parametrize("seed", [1, 2, 3])
def test_discs_on_a_belt(seed: int, name: str) -> None:
    """Some of their bounces accumulate; where these are summed, one more or less may have been followed one by one."""
    np.testing.assert_allclose(seen(seed, FRAMES[name], floor=True)[1], seen(seed, Frame(), floor=True)[1], atol=1e-6)


@pytest.mark.parametrize("seed", [1, 6, 8, 11])
def test_free_discs_from_a_frame_that_moves(seed: int) -> None:
    kinds, ends = seen(seed, Frame(), floor=False)
    same_kinds, same_ends = seen(seed, Frame(carried=(3.0, -2.0), turn=0.4), floor=False)
    assert same_kinds == kinds
    np.testing.assert_allclose(same_ends, ends, atol=1e-6)
