"""The problems of side_by_side in Exudyn: contacts with a stiffness and a restitution, at fixed steps dt.

A contact lasts about ten steps: its stiffness follows from the step. Each problem is written in scalar coordinates,
between which Exudyn has contacts (ObjectContactCoordinate) and friction (ObjectConnectorCoordinateSpringDamperExt);
the disc that lands spinning is a body in space that touches a triangle.
"""

from __future__ import annotations

import math
import warnings
from collections.abc import Callable
from itertools import pairwise
from typing import Any

import numpy as np

from benchmarks.pairs import PERIODS, E, differ, simple_motion

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    import exudyn as exu
    from exudyn import itemInterface as ei  # noqa: N813
    from exudyn.utilities import RigidBodyInertia

G = 9.81
LASTS = 10  # steps of a contact
DISSIPATIVE = 2  # Exudyn's model of restitution that is meant for all e


class World:
    """Masses along lines, each with a coordinate."""

    def __init__(self) -> None:
        self.mbs = exu.SystemContainer().AddSystem()
        self.ground = self._marker(self.mbs.AddNode(ei.NodePointGround()))
        self.nodes: list[Any] = []

    def _marker(self, node: Any) -> Any:
        return self.mbs.AddMarker(ei.MarkerNodeCoordinate(nodeNumber=node, coordinate=0))

    def mass(self, mass: float, place: float, speed: float = 0.0) -> Any:
        """A marker of a new coordinate."""
        node = self.mbs.AddNode(
            ei.Node1D(referenceCoordinates=[0.0], initialCoordinates=[place], initialVelocities=[speed])
        )
        self.mbs.AddObject(ei.Mass1D(mass=mass, nodeNumber=node))
        self.nodes.append(node)
        return self._marker(node)

    def push(self, marker: Any, force: float) -> None:
        """A constant force."""
        self.mbs.AddLoad(ei.LoadCoordinate(markerNumber=marker, load=force))

    def push_by(self, marker: Any, force: Callable[[float, float, float], float]) -> None:
        """A force of (t, q, v)."""
        self.mbs.AddObject(
            ei.CoordinateSpringDamperExt(
                markerNumbers=[self.ground, marker],
                springForceUserFunction=lambda mbs, t, item, u, v, *rest: -force(t, u, v),
            )
        )

    def contact(self, low: Any, high: Any, e: float, dt: float, mass: float, gap: float = 0.0) -> None:
        """Coordinate ``high`` stays above ``low`` - gap."""
        data = self.mbs.AddNode(ei.NodeGenericData(initialCoordinates=[1.0, 0.0], numberOfDataCoordinates=2))
        stiffness = mass * (math.pi / (LASTS * dt)) ** 2
        self.mbs.AddObject(
            ei.ObjectContactCoordinate(
                markerNumbers=[low, high], nodeNumber=data, contactStiffness=stiffness, offset=-gap,
                restitutionCoefficient=e, impactModel=DISSIPATIVE, minimumImpactVelocity=1e-6,
            )
        )  # fmt: skip

    def friction(self, marker: Any, force: float, surface: Any = None) -> None:
        """Dry friction of a constant normal force against the ground, or a surface with a coordinate of its own."""
        base = self.ground if surface is None else surface
        self.mbs.AddObject(
            ei.CoordinateSpringDamperExt(
                markerNumbers=[base, marker], dynamicFrictionForce=force, frictionProportionalZone=1e-5
            )
        )

    def run(self, dt: float, t_end: float) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Times, coordinates, velocities."""
        kinds = (exu.OutputVariableType.Coordinates, exu.OutputVariableType.Coordinates_t)
        sensors = [
            [
                self.mbs.AddSensor(ei.SensorNode(nodeNumber=node, storeInternal=True, outputVariableType=kind))
                for node in self.nodes
            ]
            for kind in kinds
        ]
        solve(self.mbs, dt, t_end)
        tables = [[self.mbs.GetSensorStoredData(sensor) for sensor in row] for row in sensors]
        q, u = (np.column_stack([table[:, 1] for table in row]) for row in tables)
        return tables[0][0][:, 0], q, u


def solve(mbs: Any, dt: float, t_end: float) -> None:
    """With Exudyn's implicit trapezoidal rule; an ArithmeticError where its iteration does not converge."""
    mbs.Assemble()
    settings = exu.SimulationSettings()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        settings.timeIntegration.numberOfSteps = round(t_end / dt)
        settings.timeIntegration.endTime = t_end
        settings.timeIntegration.verboseMode = 0
        settings.solutionSettings.sensorsWritePeriod = dt
        settings.solutionSettings.writeSolutionToFile = False
        try:
            mbs.SolveDynamic(settings, solverType=exu.DynamicSolverType.TrapezoidalIndex2)
        except exu.SolverError as error:
            raise ArithmeticError("Exudyn has given up") from error


def turns(t: np.ndarray, v: np.ndarray) -> np.ndarray:
    """When a velocity turned upwards."""
    return t[1:][(v[:-1] < 0.0) & (v[1:] >= 0.0)]


def bounces(dt: float, e: float, near: float) -> tuple[list[float], float]:
    """Turns at the floor, and when the ball was last farther than ``near`` from it."""
    world = World()
    ball = world.mass(1.0, 1.0)
    world.push(ball, -G)
    world.contact(world.ground, ball, e, dt, 1.0)
    t, q, u = world.run(dt, 4.0)
    return turns(t, u[:, 0]).tolist(), float(t[np.flatnonzero(q[:, 0] > near)[-1]])


def stopping_distance(dt: float) -> float:
    """A block with 2 m/s and friction 0.3."""
    world = World()
    world.friction(world.mass(1.0, 0.0, 2.0), 0.3 * G)
    return float(world.run(dt, 2.0)[1][-1, 0])


def begins_to_roll(dt: float) -> float:
    """A disc with 6 m/s and friction 0.1: its slip is that of a third of its mass."""
    world = World()
    world.friction(world.mass(6.0 / 3, 0.0, 6.0), 0.1 * 6.0 * G)
    t, _, u = world.run(dt, 4.0)
    return float(t[np.flatnonzero(u[:, 0] <= 1e-4)[0]])


def two_balls(dt: float) -> float:
    """The speed of a light ball dropped on top of a heavy one."""
    world = World()
    lower, upper = world.mass(0.6, 1.0), world.mass(0.06, 1.001)
    world.push(lower, -0.6 * G)
    world.push(upper, -0.06 * G)
    world.contact(world.ground, lower, 1.0, dt, 0.6)
    world.contact(lower, upper, 1.0, dt, 0.06)
    return float(world.run(dt, 0.6)[2][:, 1].max())


def cradle(dt: float) -> float:
    """The speed of the last of five balls, each 0.1 mm from the next."""
    world = World()
    balls = [world.mass(1.0, -0.1 if k == 0 else 0.0) for k in range(5)]
    for ball in balls:
        world.mbs.AddObject(ei.CoordinateSpringDamper(markerNumbers=[world.ground, ball], stiffness=G / 0.25))
    for low, high in pairwise(balls):
        world.contact(low, high, 1.0, dt, 0.5, gap=1e-4)
    return float(world.run(dt, 0.3)[2][:, 4].max())


def pendulum(dt: float) -> float:
    """The third turn at a wall below the pivot of a pendulum released level, e = 0.7, in its angle."""
    world = World()
    bob = world.mass(1.0, math.pi / 2)
    world.push_by(bob, lambda t, q, v: -G * math.sin(q))
    world.contact(world.ground, bob, 0.7, dt, 1.0)
    t, _, u = world.run(dt, 3.2)
    return float(turns(t, u[:, 0])[2])


def spin(dt: float) -> float:
    """The sideways speed of a disc that lands with 60 rad/s from 1 m, friction 0.2, e = 0.6."""
    mbs = exu.SystemContainer().AddSystem()
    disc = mbs.CreateRigidBody(
        referencePosition=[0, 0, 1.1], initialAngularVelocity=[0, 60.0, 0], gravity=[0, 0, -G],
        inertia=RigidBodyInertia(mass=1.0, inertiaTensor=np.diag([0.005] * 3)),
    )  # fmt: skip
    ground = mbs.CreateGround()
    markers = [mbs.AddMarker(ei.MarkerBodyRigid(bodyNumber=body)) for body in (ground, disc)]
    data = mbs.AddNode(ei.NodeGenericData(initialCoordinates=[0.1, 0, 0, 0], numberOfDataCoordinates=4))
    mbs.AddObject(
        ei.ObjectContactSphereTriangle(
            markerNumbers=[markers[1], markers[0]], nodeNumber=data, sphereRadius=0.1, dynamicFriction=0.2,
            trianglePoints=exu.Vector3DList([[-9, -9, 0], [9, -9, 0], [0, 9, 0]]),
            frictionProportionalZone=1e-4, impactModel=DISSIPATIVE, contactStiffness=(math.pi / (LASTS * dt)) ** 2,
            restitutionCoefficient=0.6, minimumImpactVelocity=1e-6,
        )
    )  # fmt: skip
    speed = mbs.AddSensor(
        ei.SensorBody(bodyNumber=disc, storeInternal=True, outputVariableType=exu.OutputVariableType.Velocity)
    )
    solve(mbs, dt, 0.6)
    return abs(float(mbs.GetSensorStoredData(speed)[-1, 1]))


def belt(dt: float) -> float:
    """How far a block on a spring of 10 N/m is carried by a belt of 0.2 m/s, friction 0.3."""
    world = World()
    block = world.mass(1.0, 0.0)
    world.mbs.AddObject(ei.CoordinateSpringDamper(markerNumbers=[world.ground, block], stiffness=10.0))
    world.friction(block, 0.3 * G, surface=world.mass(1e9, 0.0, 0.2))  # a belt that nothing slows down
    return float(world.run(dt, 3.0)[1][:, 0].max())


def alternates(dt: float, omega: float) -> bool:
    """Whether flights of a ball on the table of benchmarks/pairs.py alternate; seen from the table."""
    world = World()
    t0, speed = simple_motion(omega)
    ball = world.mass(1.0, 1e-9, 1.001 * (speed - omega * math.cos(omega * t0)))
    world.push_by(ball, lambda t, q, v: -G + omega**2 * math.sin(omega * (t + t0)))
    world.contact(world.ground, ball, E, dt, 1.0)
    t, _, u = world.run(dt, PERIODS * 2 * math.pi / omega)
    return differ(turns(t, u[:, 0]).tolist(), omega)
