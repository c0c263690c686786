"""
Why does chalk hop across the board?
====================================

Push a slanted rod over a rough floor. Above the friction 4/3 there are angles at which sliding has no
consistent contact force: Painlevé's paradox. The rod jams: an impact without collision stops its tip at once, and
what the impact gives back throws it off the floor. It hops.
"""

from math import sin

import jounce
from jounce import painleve

rod = jounce.compile_model(jounce.systems.painleve_rod())
least = painleve.minimal_critical_friction(rod, {"theta": (0.2, 1.5)}, contact="tip")
print(f"the paradox needs mu > {least.mu:.6f}, at {least.state['theta']:.4f} rad")

pushed = rod.state(y=sin(1.2), theta=1.2, d_x=-4.0)
smooth = jounce.simulate(rod, pushed, t_end=0.5, mu=0.5, e=0.5)
jammed = jounce.simulate(rod, pushed, t_end=0.5, mu=1.6, e=0.5)
paradox, thrown, landed = (row for _, row in jammed.events.head(3).iterrows())
print(f"{paradox['kind']} at t = {paradox['t']:g}, then a hop of {landed['t'] - thrown['t']:.6f} s")
jounce.plot.animate(jammed, "chalk.gif", speed=0.2)
figure = jounce.plot.plot_critical_friction(least)
