"""
How does a chain hang?
======================

Sixty links on two nails. In balance every pin carries the same horizontal force H, and the tangent of a link's angle
grows by m g/H from link to link: a catenary of straight pieces. Dotted is the smooth one of the same force, with the
chain's weight spread along it.
"""

import numpy as np
from matplotlib import pyplot as plt
from scipy.optimize import brentq

import jounce
from jounce import Body, Model, Revolute, ground

number, length, m, g, span = 60, 0.05, 0.1, 9.81, 2.0
steps = np.arange(number) - (number - 1) / 2
pull = brentq(lambda H: length * np.sum(1 / np.hypot(1, steps * m * g / H)) - span, 0.01, 1e6)
links, pins, end, before = [], [], np.zeros(2), ground
for k, angle in enumerate(np.arctan(steps * m * g / pull)):
    along = length * np.array([np.cos(angle), np.sin(angle)])
    links.append(Body(f"link{k}", m, m * length**2 / 12, center=tuple(end + along / 2), angle=float(angle)))
    pins.append(Revolute(f"pin{k}", before, links[-1], (length / 2, 0) if k else (0, 0), (-length / 2, 0)))
    end, before = end + along, links[-1]
pins.append(Revolute("nail", before, ground, (length / 2, 0), tuple(end)))
chain = jounce.compile_model(Model.from_bodies("chain", bodies=links, joints=pins, gravity=g))
rest = jounce.simulate(chain, None, t_end=10.0)
forces = rest.joint_forces(np.array([5.0]))
across, down = ([float(forces[f"pin{k}.{axis}"][0]) for k in range(number)] for axis in "xy")
print(f"{rest.status.name}: H = {-np.mean(across):.4f} N, by the balance of the links {pull:.4f} N")

x, y = rest.final.q.reshape(-1, 3)[:, :2].T
figure, axes = plt.subplots(figsize=(6, 3.6), layout="constrained")
axes.plot(x, y, "o-", ms=3, lw=0.8, label="links")
catenary = pull / (number * m * g / 3) * (np.cosh((x - span / 2) * number * m * g / 3 / pull) - 1) + y.min()
axes.plot(x, catenary, "k:", label="smooth catenary")
axes.legend()
axes.set(xlabel="x [m]", ylabel="y [m]", aspect="equal")
