"""
How does the woodpecker climb down its pole?
============================================

A toy of a bird on a spring: its sleeve jams on the pole, the bird swings and pecks, the sleeve tilts free and
slides down a little, and jams again. Nothing but impacts and friction makes the steady rhythm.
"""

import numpy as np

import jounce

bird = jounce.compile_model(jounce.systems.woodpecker())
options = jounce.Options(law="newton", simultaneous="joint")
run = jounce.simulate(bird, None, t_end=3.0, options=options)
pecks = run.events[(run.events["contact"] == "beak") & (run.events["v_n_before"] < -0.1)]["t"].to_numpy()
period = float(np.diff(pecks)[-5:].mean())
step = float(run.at(pecks[-2])["y"] - run.at(pecks[-1])["y"])
print(f"pecks {1 / period:.2f} times a second and climbs down {1000 * step:.2f} mm each time")
jounce.plot.animate(run, "woodpecker.gif", t_from=2.0, t_to=2.5, speed=0.15)
figure = jounce.plot.plot_time_history(run)
