"""
When does a walker begin to limp?
=================================

The simplest walking machine of Garcia, Chatterjee, Ruina and Coleman (1998): a mass on two massless legs goes down
a slope without a motor. At heelstrike the legs change their roles, which is a reset; the swinging foot passes the
ground in mid-stance too, which its condition excludes. Up to a slope of 0.0151 all steps are equal, then every second.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import cos, sin

import jounce
from jounce import Ground, Model, Reset, Segment, coordinate, parameter

theta, d_theta = coordinate("theta", "rad")  # stance leg against the normal of the slope
phi, d_phi = coordinate("phi", "rad")  # between the legs
slope = parameter("slope", 0.009, "rad")
c = cos(2 * theta)
change = {theta: -theta, phi: -2 * theta, d_theta: c * d_theta, d_phi: c * (1 - c) * d_theta}
heelstrike = Reset(phi - 2 * theta, change, only_if=theta < -0.05, name="heelstrike")
fall = sin(theta - slope)
swing = fall + d_theta**2 * sin(phi) - cos(theta - slope) * sin(phi)
hip, back = (-sin(theta), cos(theta)), (-sin(theta) - sin(phi - theta), cos(theta) - cos(phi - theta))
legs = [Ground(0), Segment((0, 0), hip, body="stance"), Segment(hip, back, body="swing")]  # seen from the stance foot
system = jounce.compile_model(Model("walker", [theta, phi], [1, 1], [fall, swing], resets=[heelstrike], drawing=legs))
step = system.state(theta=0.2, phi=0.4, d_theta=-0.2, d_phi=-0.0158)
jounce.plot.animate(jounce.simulate(system, step, t_end=20.0), "walker.gif", speed=4.0)
slopes, angles = np.linspace(0.009, 0.0189, 199), []
for value in slopes:
    steps = jounce.SectionMap(system, "reset:heelstrike", slope=value).iterate(step, 300)
    angles.append(steps["theta"][-48:])
    step = steps.state(-1)

figure, axes = plt.subplots(figsize=(7, 4), layout="constrained")
axes.plot(slopes, angles, ".", ms=1, color="black")
axes.axvline(0.0150884, color="gray", ls=":")
axes.set(xlabel="slope [rad]", ylabel="stance angle behind heelstrike [rad]")
