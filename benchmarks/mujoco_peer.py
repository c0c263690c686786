"""The problems of side_by_side in MuJoCo: soft contacts at fixed steps dt.

A contact has a stiffness and a damping in place of a restitution; the damping is that of a linear spring and damper
for e. The stiffness makes a contact last about 10 ms, which ten steps of 1e-3 s resolve.
"""

from __future__ import annotations

import math
from typing import Any

import mujoco

from benchmarks.pairs import PERIODS, E, differ, simple_motion

G = 9.81
STIFFNESS = 1e5  # 1/s^2
PLANE_JOINTS = '<joint type="slide" axis="1 0 0"/><joint type="slide" axis="0 0 1"/>'


def _contact(e: float, friction: float = 0.0) -> str:
    ratio = 1.0 if e == 0.0 else -math.log(e) / math.hypot(math.pi, math.log(e))
    damping = 2 * ratio * math.sqrt(STIFFNESS)
    return f'solref="{-STIFFNESS} {-damping}" solimp="1 1 0.001" friction="{friction} 0 0" condim="3"'


def _world(dt: float, bodies: str, e: float, friction: float = 0.0, floor: bool = True) -> Any:
    plane = f'<geom type="plane" size="99 99 1" {_contact(e, friction)}/>' if floor else ""
    gravity = G if floor else 0.0
    head = f'<option timestep="{dt}" gravity="0 0 {-gravity}" cone="elliptic" impratio="10"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{head}<worldbody>{plane}{bodies}</worldbody></mujoco>")
    return model, mujoco.MjData(model)


def _ball(z: float, mass: float, e: float) -> str:
    geom = f'<geom type="sphere" size="0.1" mass="{mass}" {_contact(e)}/>'
    return f'<body pos="0 0 {z}"><joint type="slide" axis="0 0 1"/>{geom}</body>'


def bounces(dt: float, e: float, near: float) -> tuple[list[float], float]:
    """Turns at the floor, and when the ball was last farther than ``near`` from it."""
    model, data = _world(dt, _ball(1.1, 1.0, e), e)
    v, found, away = 0.0, [], 0.0
    for _ in range(round(6 / dt)):
        mujoco.mj_step(model, data)
        if v < 0 <= data.qvel[0]:
            found.append(data.time)
        v = data.qvel[0]
        away = data.time if data.qpos[0] + 1.0 > near else away
    return found, away


def stopping_distance(dt: float) -> float:
    """A block with 2 m/s and friction 0.3."""
    geom = f'<geom type="box" size="0.1 0.1 0.1" mass="1" {_contact(0, 0.3)}/>'
    model, data = _world(dt, f'<body pos="0 0 0.1">{PLANE_JOINTS}{geom}</body>', 0.0, 0.3)
    data.qvel[0] = 2.0
    while data.time < 2.0:
        mujoco.mj_step(model, data)
    return float(data.qpos[0])


def begins_to_roll(dt: float) -> float:
    """A disc with 6 m/s and friction 0.1; it rolls once it slips with less than a thousandth of that."""
    geom = f'<geom type="cylinder" size="0.11 0.05" euler="90 0 0" mass="6" {_contact(0, 0.1)}/>'
    disc = f'<body pos="0 0 0.11">{PLANE_JOINTS}<joint type="hinge" axis="0 1 0"/>{geom}</body>'
    model, data = _world(dt, disc, 0.0, 0.1)
    data.qvel[0] = 6.0
    while data.time < 4.0:
        mujoco.mj_step(model, data)
        if data.qvel[0] - 0.11 * data.qvel[2] <= 6e-3:
            return data.time
    return math.nan


def two_balls(dt: float) -> float:
    """The speed of a light ball dropped on top of a heavy one."""
    model, data = _world(dt, _ball(1.1, 0.6, 1.0) + _ball(1.301, 0.06, 1.0), 1.0)
    thrown = 0.0
    while data.time < 0.6:
        mujoco.mj_step(model, data)
        thrown = max(thrown, float(data.qvel[1]))
    return thrown


def cradle(dt: float) -> float:
    """The speed of the last of five balls."""
    spring = f'<joint type="slide" axis="1 0 0" stiffness="{G / 0.25}"/>'
    sphere = f'<geom type="sphere" size="0.1" mass="1" {_contact(1.0)}/>'
    row = "".join(f'<body pos="{0.2001 * k} 0 0">{spring}{sphere}</body>' for k in range(5))
    model, data = _world(dt, row, 1.0, floor=False)
    data.qpos[0], fastest = -0.1, 0.0
    while data.time < 0.4:
        mujoco.mj_step(model, data)
        fastest = max(fastest, float(data.qvel[4]))
    return fastest


def pendulum(dt: float) -> float:
    """The third turn at a wall below the pivot of a pendulum released level, e = 0.7."""
    wall = f'<geom type="plane" size="9 9 1" pos="-0.1 0 0" zaxis="1 0 0" {_contact(0.7)}/>'
    point = '<inertial pos="1 0 0" mass="1" diaginertia="1e-9 1e-9 1e-9"/>'
    bob = f'<geom type="sphere" size="0.1" pos="1 0 0" {_contact(0.7)}/>'
    arm = f'<body><joint type="hinge" axis="0 1 0"/>{point}{bob}</body>'
    head = f'<option timestep="{dt}" gravity="0 0 {-G}" cone="elliptic" impratio="10"/>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{head}<worldbody>{wall}{arm}</worldbody></mujoco>")
    data, v, found = mujoco.MjData(model), 0.0, 0
    while data.time < 6.0:
        mujoco.mj_step(model, data)
        found += v > 0 >= data.qvel[0] and data.qpos[0] > 1.0
        if found == 3:
            return data.time
        v = data.qvel[0]
    return math.nan


def spin(dt: float) -> float:
    """The sideways speed of a disc that lands with 60 rad/s from 1 m, friction 0.2, e = 0.6."""
    geom = f'<geom type="cylinder" size="0.1 0.05" euler="90 0 0" mass="1" {_contact(0.6, 0.2)}/>'
    disc = f'<body pos="0 0 1.1">{PLANE_JOINTS}<joint type="hinge" axis="0 1 0"/>{geom}</body>'
    model, data = _world(dt, disc, 0.6, 0.2)
    data.qvel[2] = 60.0
    while data.time < 0.6:
        mujoco.mj_step(model, data)
    return abs(float(data.qvel[0]))


def belt(dt: float) -> float:
    """How far a block on a spring of 10 N/m is carried by a belt of 0.2 m/s, friction 0.3."""
    sheet = f'<geom type="box" size="9 1 0.1" mass="1e6" {_contact(0, 0.3)}/>'
    cube = f'<geom type="box" size="0.1 0.1 0.1" mass="1" {_contact(0, 0.3)}/>'
    joints = '<joint type="slide" axis="1 0 0" stiffness="10"/><joint type="slide" axis="0 0 1"/>'
    moving = f'<body pos="0 0 -0.1"><joint type="slide" axis="1 0 0"/>{sheet}</body>'
    head = f'<option timestep="{dt}" gravity="0 0 {-G}" cone="elliptic" impratio="10"/>'
    bodies = f'{moving}<body pos="0 0 0.1">{joints}{cube}</body>'
    model = mujoco.MjModel.from_xml_string(f"<mujoco>{head}<worldbody>{bodies}</worldbody></mujoco>")
    data, farthest = mujoco.MjData(model), 0.0
    while data.time < 3.0:
        data.qvel[0] = 0.2
        mujoco.mj_step(model, data)
        farthest = max(farthest, float(data.qpos[1]))
    return farthest


def alternates(dt: float, omega: float) -> bool:
    """Whether flights of a ball on the table of benchmarks/pairs.py alternate; seen from the table."""
    model, data = _world(dt, _ball(0.1, 1.0, E), E)
    t0, speed = simple_motion(omega)
    data.qvel[0] = 1.001 * (speed - omega * math.cos(omega * t0))
    v, found = 0.0, []
    while data.time < PERIODS * 2 * math.pi / omega:
        model.opt.gravity[2] = -G + omega**2 * math.sin(omega * (t0 + data.time))
        mujoco.mj_step(model, data)
        if v < 0 <= data.qvel[0]:
            found.append(data.time)
        v = data.qvel[0]
    return differ(found, omega)
