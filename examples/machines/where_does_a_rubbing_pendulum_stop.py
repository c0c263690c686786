"""
Where does a rubbing pendulum stop?
===================================

The pin of a pendulum rubs in its bearing, with the force that it carries: μ r F at the rim. Such friction takes the
same angle from every swing, and in the end holds the pendulum beside the vertical. A pin with a play far below its
radius is a contact with friction, which sticks.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

mu, r, L, play = 0.2, 0.03, 0.5, 1e-4
bob = jounce.Body("bob", mass=1.0, inertia=0.02, center=(L * np.sin(0.4), -L * np.cos(0.4)), angle=0.4)
pin = jounce.ClearanceJoint(
    "pin", jounce.ground, bob, at_second=(0, L), bearing_radius=r + play, journal_radius=r, friction=mu
)
machine = jounce.Model.from_bodies("pendulum", bodies=[bob], joints=[pin], gravity=9.81, guards={"turns": bob.d_theta})
run = jounce.simulate(machine, None, t_end=14.0)
jounce.plot.animate(run, "pendulum.gif")
circle = mu / np.sqrt(1 + mu**2) * r / L  # the angle in which friction holds it: that of the friction circle
t = np.linspace(0.0, 14.0, 3000)
angles = np.array([state["bob_theta"] for state in run.at(t)])

figure, axis = plt.subplots(figsize=(8, 3.4), layout="constrained")
axis.plot(t, angles)
axis.axhspan(-circle, circle, color="orange", alpha=0.4, label="friction holds it here")
axis.plot([0.0, 11.8], [0.4, 0.4 - 11.8 / 0.74 * 2 * circle], ":", color="grey", label="the same from every swing")
axis.set(xlabel="t [s]", ylabel="angle [rad]")
axis.legend()
