"""
When does a stack of boxes topple?
==================================

A stack of n boxes stands on a ramp that is slowly raised. Friction holds; the stack leaves its upper edge when the
weight of all boxes passes over the lower edge of the lowest one, at tan(slope) = width/(n height). Forty forces of ten
boxes have thirty equations; which of them hold the stack is open, when it topples is not.
"""

import numpy as np
from matplotlib import pyplot as plt
from sympy import cos, sin

import jounce
from jounce import Body, Corners, Force, Line, Model, contact_between, ground, time

a, rate = 0.1, 0.05  # half a side of a box [m], speed of the ramp [rad/s]
found = {}
for number in (1, 2, 3, 5, 10):
    boxes = [Body(f"box{k}", 1.0, 2 * a * a / 3, center=(0.0, a + 2 * a * k)) for k in range(number)]
    tops = [Line(ground, (0, 0), (1, 0)), *(Line(box, (-a, a), (2 * a, 0)) for box in boxes[:-1])]
    soles = [Corners(box, {"left": (-a, -a), "right": (a, -a)}) for box in boxes]
    touch = [
        contact_between(f"under{k}", sole, top, friction=1.5)
        for k, (sole, top) in enumerate(zip(soles, tops, strict=True))
    ]
    weight = (9.81 * sin(rate * time), -9.81 * cos(rate * time))  # as the ramp sees it
    stack = Model.from_bodies(f"stack{number}", bodies=boxes, contacts=touch, forces=[Force(b, weight) for b in boxes])
    run = jounce.simulate(jounce.compile_model(stack, bodies="tables"), None, np.arctan(1 / number) / rate + 0.02)
    found[number] = rate * float(run.events.t.iloc[0])

figure, axes = plt.subplots(1, 2, figsize=(8, 3.5), layout="constrained")
n = np.arange(1, 11)
axes[0].plot(n, np.degrees(np.arctan(1 / n)), "k:", label="arctan(1/n)")
axes[0].plot(list(found), np.degrees(list(found.values())), "o", label="the stack leaves its edge")
axes[0].set(xlabel="boxes", ylabel="slope [degrees]")
axes[0].legend()
turn = np.array([[np.cos(found[10]), np.sin(found[10])], [-np.sin(found[10]), np.cos(found[10])]])
for k in range(10):
    low, high = 2 * a * k, 2 * a * (k + 1)
    corners = np.array([(-a, low), (a, low), (a, high), (-a, high), (-a, low)])
    axes[1].plot(*(turn @ corners.T), color="C0", lw=0.8)
axes[1].plot(*(turn @ np.array([(-0.6, 0.6), (0, 0)])), color="gray")
axes[1].set(aspect="equal", xlabel="x [m]", ylabel="y [m]", title="ten boxes as they topple")
