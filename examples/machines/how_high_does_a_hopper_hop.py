"""
How high does a hopper hop?
===========================

A hopper fires its jet when it touches the ground and stops it 10 cm above: two actions at events of one run. Each hop
loses what the ground takes and gains what the jet gives, until both are equal.
"""

from matplotlib import pyplot as plt

import jounce

y, dy = jounce.coordinate("y", "m")
m, g, F, e = jounce.parameters(m=(2.0, "kg"), g=(9.81, "m/s^2"), F=(0.0, "N", "jet"), e=0.6)
hopper = jounce.Model.from_lagrangian(
    "hopper",
    coordinates=[y],
    kinetic=m * dy**2 / 2,
    potential=m * g * y,
    forces={y: F},
    contacts=[jounce.Contact("ground", gap=y, restitution=e)],
    guards={"apex": dy},
    start={y: 0.2},
)
actions = {"impact:ground": {"F": 150}, "plane:y=0.1:+1": {"F": 0}}
run = jounce.simulate(hopper, None, t_end=12.0, on=actions)
apexes = run.events[run.events.kind == "user"]
heights = [state["y"] for state in run.at(apexes.t)]

figure, axis = plt.subplots(figsize=(8, 3.6), layout="constrained")
t = [12.0 * k / 3000 for k in range(3001)]
axis.plot(t, [state["y"] for state in run.at(t)])
axis.plot(apexes.t, heights, "k.")
limit = 150 * 0.1 / (2.0 * 9.81 * (1 - 0.6**2))  # the jet gives what the ground takes
axis.axhline(limit, color="grey", ls=":", label=f"the jet gives what the ground takes: {limit:.3f} m")
axis.set(xlabel="t [s]", ylabel="height [m]")
axis.legend(loc="lower right", bbox_to_anchor=(1, 1), frameon=False)
