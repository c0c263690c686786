"""
How does a hopping leg keep its height?
=======================================

A body on a springy leg. At the lowest point of each stance a controller makes the leg longer, at the highest point of
each flight it looks how high the hop was and corrects what it will add next: hops settle on the height that is asked
for, whatever damping and the landing of the foot take, also after the wish has changed.
"""

from matplotlib import pyplot as plt

import jounce
from jounce import Circle, Coil, Contact, Ground, Model, Reset, coordinates, discrete, parameters

(y, dy), (s, ds) = coordinates("y s", "m")  # body and foot
m, foot, k, c, wish = parameters(m=(5.0, "kg"), foot=(0.2, "kg"), k=(4e3, "N/m"), c=(20.0, "N s/m"), wish=(0.8, "m"))
length = discrete("length", 0.5, "m", "of the leg at rest")
thrust = discrete("thrust", 0.03, "m", "by which the leg grows in the next stance")
usual = discrete("usual", 0.03, "m", "what keeps the height, as far as it is known")
looked = {length: 0.5, thrust: usual + (wish - y) / 10, usual: usual + (wish - y) / 25}
model = Model.from_lagrangian(
    "hopping_leg",
    coordinates=[y, s],
    kinetic=(m * dy**2 + foot * ds**2) / 2,
    potential=9.81 * (m * y + foot * s) + k * (y - s - length) ** 2 / 2,
    forces={y: -c * (dy - ds), s: c * (dy - ds)},
    contacts=[Contact("ground", gap=s)],
    resets=[
        Reset(dy, {length: 0.5 + thrust}, direction=+1, only_if=s < 1e-3, name="push"),
        Reset(dy, looked, direction=-1, only_if=s > 1e-3, name="look"),
    ],
    start={y: 0.9, s: 0.4},
    drawing=[Ground(0), Coil((0, s), (0, y)), Circle((0, y), 0.08, body="body")],
)
run = jounce.simulate(model, None, t_end=20.0, schedule=[(10.0, {"wish": 0.95})])
jounce.plot.animate(run, "leg.gif", t_to=5.0)
looks = run.events[run.events["reset"] == "look"]
heights = [state["y"] for state in run.at(looks["t"])]

figure, axis = plt.subplots(figsize=(8, 3.6), layout="constrained")
axis.plot(run["t"], run["y"], lw=0.6)
axis.plot(looks["t"], heights, "k.")
axis.hlines([0.8, 0.95], [0, 10], [10, 20], color="grey", ls=":")
axis.set(xlabel="t [s]", ylabel="height of the body [m]")
