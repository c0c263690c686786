"""
Why are buffers preloaded?
==========================

A wagon has to be stopped within 10 cm. A spring alone pushes little at first and hardest at the end: its force reaches
2E/d, E the energy and d the way. A spring that is held compressed pushes at once, and with the same way the largest
force falls to 2E/(d (1 + s)), s the preload's share of it: to a half at best.
"""

import numpy as np
from matplotlib import pyplot as plt

import jounce

x, dx = jounce.coordinate("x", "m")
m, k, preload = jounce.parameters(m=(20e3, "kg"), k=(1e6, "N/m"), preload=(0.0, "N"))
wagon = jounce.Model.from_lagrangian(
    "wagon", coordinates=[x], kinetic=m * dx**2 / 2, start={x: -0.1, dx: 1.5},
    contacts=[jounce.preloaded_stop("buffer", -x, stiffness=k, preload=preload)], guards={"turns": dx},
)  # fmt: skip
system = jounce.compile_model(wagon)
energy, way = 20e3 * 1.5**2 / 2, 0.1
shares, forces, figure = np.linspace(0.0, 0.9, 10), [], plt.figure(figsize=(9, 3.4), layout="constrained")
left, right = figure.subplots(1, 2)
for share in shares:
    largest = 2 * energy / (way * (1 + share))
    stiffness = largest * (1 - share) / way
    run = jounce.simulate(system, None, t_end=1.0, stop_at={"turns": -1}, k=stiffness, preload=share * largest)
    forces.append(share * largest + stiffness * run.final["x"])
    t = np.linspace(0.0, run.t_end, 400)
    force = np.nan_to_num(run.contact_forces(t)["lambda_N"].sel(contact="buffer"))
    left.plot(1000 * (t - 0.1 / 1.5), force / 1000, color=plt.cm.viridis(share))
figure.colorbar(plt.cm.ScalarMappable(cmap="viridis"), ax=left)
left.set(title="colour: preload / largest force", xlim=(-5, None))
left.set(xlabel="time since the touch [ms]", ylabel="force [kN]")
right.plot(shares, np.array(forces) / 1000, "o")
right.set(xlabel="preload / largest force", ylabel="largest force [kN]", ylim=(0, None))
