"""The problems of side_by_side in pymunk (Chipmunk): impulses at fixed steps dt."""

from __future__ import annotations

import math
from typing import Any

import pymunk

from benchmarks.pairs import PERIODS, E, differ, simple_motion

G = 9.81


def _space(friction: float = 0.0, floor: bool = True) -> Any:
    space = pymunk.Space()
    space.gravity, space.iterations, space.collision_slop = (0, -G if floor else 0), 50, 0.0
    if floor:
        segment = pymunk.Segment(space.static_body, (-100, 0), (100, 0), 0)
        segment.elasticity, segment.friction = 1.0, friction
        space.add(segment)
    return space


def _disc(space: Any, place: tuple[float, float], mass: float, e: float, r: float = 0.1, turns: bool = False) -> Any:
    body = pymunk.Body(mass, pymunk.moment_for_circle(mass, 0, r) if turns else math.inf)
    body.position = place
    shape = pymunk.Circle(body, r)
    shape.elasticity, shape.friction = e, 1.0
    space.add(body, shape)
    return body


def bounces(dt: float, e: float, near: float) -> tuple[list[float], float]:
    """Turns at the floor, and when the ball was last farther than ``near`` from it."""
    space = _space()
    ball, v, found, away = _disc(space, (0, 1.1), 1.0, e), 0.0, [], 0.0
    for k in range(round(6 / dt)):
        space.step(dt)
        if v < 0 <= ball.velocity.y:
            found.append((k + 1) * dt)
        v = ball.velocity.y
        away = (k + 1) * dt if ball.position.y - 0.1 > near else away
    return found, away


def stopping_distance(dt: float) -> float:
    """A block with 2 m/s and friction 0.3."""
    space = _space(friction=0.3)
    block = pymunk.Body(1.0, math.inf)
    shape = pymunk.Poly.create_box(block, (0.2, 0.2))
    shape.friction = 1.0
    block.position, block.velocity = (0, 0.1), (2, 0)
    space.add(block, shape)
    for _ in range(round(2 / dt)):
        space.step(dt)
    return block.position.x


def begins_to_roll(dt: float) -> float:
    """A disc with 6 m/s and friction 0.1."""
    space = _space(friction=0.1)
    ball = _disc(space, (0, 0.11), 6.0, 0.0, r=0.11, turns=True)
    ball.velocity = (6, 0)
    for k in range(round(4 / dt)):
        space.step(dt)
        if ball.velocity.x + 0.11 * ball.angular_velocity <= 1e-6:
            return (k + 1) * dt
    return math.nan


def two_balls(dt: float) -> float:
    """The speed of a light ball dropped on top of a heavy one."""
    space = _space()
    _disc(space, (0, 1.1), 0.6, 1.0)
    upper = _disc(space, (0, 1.301), 0.06, 1.0)
    for _ in range(round(0.5 / dt)):
        space.step(dt)
        if upper.velocity.y > 0:
            break
    return upper.velocity.y


def cradle(dt: float) -> float:
    """The speed of the last of five balls."""
    space = _space(floor=False)
    balls = [_disc(space, (0.2001 * k, 0), 1.0, 1.0) for k in range(5)]
    places = [body.position.x for body in balls]
    balls[0].position = (-0.1, 0)
    for _ in range(round(0.3 / dt)):
        for body, place in zip(balls, places, strict=True):
            body.force = (-G / 0.25 * (body.position.x - place), 0)
        space.step(dt)
        if balls[4].velocity.x > 0.1:
            break
    return balls[4].velocity.x


def pendulum(dt: float) -> float:
    """The third turn at a wall below the pivot of a pendulum released level, e = 0.7."""
    space = _space(floor=False)
    space.gravity = (0, -G)
    wall = pymunk.Segment(space.static_body, (-0.1, -3), (-0.1, 0), 0)
    wall.elasticity = 1.0
    bob = _disc(space, (1, 0), 1.0, 0.7)
    space.add(wall, pymunk.PinJoint(space.static_body, bob, (0, 0), (0, 0)))
    v, found = 0.0, 0
    for k in range(round(6 / dt)):
        space.step(dt)
        found += v < 0 <= bob.velocity.x and bob.position.y < -0.5
        if found == 3:
            return (k + 1) * dt
        v = bob.velocity.x
    return math.nan


def spin(dt: float) -> float:
    """The sideways speed of a disc that lands with 60 rad/s from 1 m, friction 0.2, e = 0.6."""
    space = _space(friction=0.2)
    disc = _disc(space, (0, 1.1), 1.0, 0.6, turns=True)
    disc.angular_velocity = 60.0
    for _ in range(round(0.6 / dt)):
        space.step(dt)
        if disc.velocity.y > 0:
            break
    return abs(disc.velocity.x)


def belt(dt: float) -> float:
    """How far a block on a spring of 10 N/m is carried by a belt of 0.2 m/s, friction 0.3."""
    space = _space(floor=False)
    space.gravity = (0, -G)
    moving = pymunk.Segment(space.static_body, (-9, 0), (9, 0), 0)
    moving.friction, moving.surface_velocity = 0.3, (0.2, 0)
    block = pymunk.Body(1.0, math.inf)
    shape = pymunk.Poly.create_box(block, (0.2, 0.2))
    shape.friction, block.position, farthest = 1.0, (0, 0.1), 0.0
    space.add(moving, block, shape)
    for _ in range(round(3 / dt)):
        block.force = (-10 * block.position.x, 0)
        space.step(dt)
        farthest = max(farthest, block.position.x)
    return farthest


def alternates(dt: float, omega: float) -> bool:
    """Whether flights of a ball on the table of benchmarks/pairs.py alternate; seen from the table."""
    space = _space()
    t0, speed = simple_motion(omega)
    ball, v, found = _disc(space, (0, 0.1), 1.0, E), 0.0, []
    ball.velocity = (0, 1.001 * (speed - omega * math.cos(omega * t0)))
    for k in range(round(PERIODS * 2 * math.pi / omega / dt)):
        space.gravity = (0, -G + omega**2 * math.sin(omega * (t0 + k * dt)))
        space.step(dt)
        if v < 0 <= ball.velocity.y:
            found.append((k + 1) * dt)
        v = ball.velocity.y
    return differ(found, omega)
