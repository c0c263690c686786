"""
How fast does a rimless wheel run downhill?
===========================================

A wheel of spokes without a rim is the simplest walker: it rolls over one spoke, the next one strikes, and
each strike takes energy. On a slope it runs at the speed at which a strike takes what a step gives.
"""

import numpy as np

import jounce
from jounce import Body, Corners, Line, Model, Segment, contact_between, ground

spokes, L, mass, inertia, slope, g = 8, 1.0, 1.0, 0.1, 0.1, 9.81
angles = 2 * np.pi * np.arange(spokes) / spokes + np.pi / spokes - np.pi / 2
tips = {str(k): (L * np.cos(a), L * np.sin(a)) for k, a in enumerate(angles)}
wheel = Body(
    "wheel",
    mass=mass,
    inertia=inertia,
    center=(0, L),
    angle=np.pi / spokes,  # one spoke straight down
    velocity=(2.0, 0.0),
    spin=-2.0,
    shapes=[Segment((0, 0), tip) for tip in tips.values()],
)
feet = contact_between("foot", Corners(wheel, tips), Line(ground, (0, 0), (1, 0)), friction=1.0)
gravity = (g * np.sin(slope), -g * np.cos(slope))  # along and across the slope
model = Model.from_bodies("rimless_wheel", bodies=[wheel], gravity=gravity, contacts=feet)
system = jounce.compile_model(model)
run = jounce.simulate(system, None, t_end=15.0)
strikes = run.events[run.events["kind"] == "impact"]
speed = -run.at(strikes["t"].iloc[-1], side="left")["d_wheel_theta"]
print(f"{len(strikes)} strikes, the last at {speed:.6f} rad/s")
jounce.plot.animate(run, "wheel.gif", t_to=4.0)
figure = jounce.plot.plot_time_history(run, ["wheel_x", "d_wheel_theta"])
