"""
At which speed does a valve float?
==================================

A spring presses a follower onto a cam. Turned too fast, the cam falls away faster than the spring can push,
and the follower flies and strikes. Without damping this begins at m lift omega²/2 = k (lift + preload) + m g.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

cam = jounce.compile_model(jounce.systems.cam_follower())
speeds = np.linspace(20.0, 40.0, 41)
flights = []
for omega in speeds:
    run = jounce.simulate(cam, {"x": 0.0}, t_end=10 * 2 * np.pi / omega, omega=omega, c=0.0)
    open_time = sum(end - begin for begin, end, mode in run.mode_intervals("cam") if str(mode) == "OPEN")
    flights.append(open_time / run.t_end)
jounce.plot.animate(run, "cam.gif", t_to=0.5, speed=0.1)
floats_at = speeds[np.argmax(np.array(flights) > 0)]

figure, axes = plt.subplots(figsize=(7, 3.5), layout="constrained")
axes.plot(speeds, 100 * np.array(flights), "o-")
axes.set(xlabel="speed of the cam [rad/s]", ylabel="time in the air [%]", title=f"floats from {floats_at:.1f} rad/s")
