"""
Which motor does a piston pump need?
====================================

A crank turns at constant speed, a rod drives a piston. The torque that this takes is the force of the
driver's own equation; it must deliver, with the power of the piston, what the masses take and give back.
"""

import numpy as np

import jounce
from jounce import Body, Driver, Force, Model, Revolute, Translational, ground, time

omega = 30.0
crank = Body("crank", mass=1.0, inertia=1e-3)
rod = Body("rod", mass=0.5, inertia=2e-3)
piston = Body("piston", mass=0.8, inertia=1e-3, center=(0.3, 0))
pump = Model.from_bodies(
    "pump",
    bodies=[crank, rod, piston],
    joints=[
        Revolute("main", ground, crank, (0, 0), (-0.025, 0)),
        Revolute("big_end", crank, rod, (0.025, 0), (-0.1, 0)),
        Revolute("small_end", rod, piston, (0.1, 0), (0, 0)),
        Translational("cylinder", ground, piston),
        Driver("motor", ground, crank, angle=omega * time),
    ],
    forces=[Force(piston, (-40.0 * piston.d_x, 0))],  # the liquid resists in proportion to the speed
)
run = jounce.simulate(pump, None, t_end=2 * np.pi / omega)
times = np.linspace(0, 2 * np.pi / omega, 401)
torque = run.joint_forces(times)["motor.angle"].values
mean_power = float(np.trapezoid(torque, times) * omega / times[-1])
print(f"largest torque {abs(torque).max():.2f} N m, mean power {mean_power:.2f} W")
jounce.plot.animate(run, "pump.gif", speed=0.05)
figure = jounce.plot.plot_joint_forces(run, ["motor", "big_end", "cylinder"])
