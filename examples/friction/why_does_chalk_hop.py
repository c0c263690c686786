"""
Why does chalk hop across the board?
====================================

Push a slanted rod over a rough floor. Above the friction 4/3 there are angles at which sliding has no
consistent contact force: Painlevé's paradox. The rod jams for an instant, an impact without collision throws
it off, and it hops.
"""

from math import sin

import jounce
from jounce import painleve

rod = jounce.compile_model(jounce.systems.painleve_rod())
least = painleve.minimal_critical_friction(rod, {"theta": (0.2, 1.5)}, contact="tip")
print(f"the paradox needs mu > {least.mu:.6f}, at {least.state['theta']:.4f} rad")

pushed = rod.state(y=sin(1.2), theta=1.2, d_x=-2.0)
smooth = jounce.simulate(rod, pushed, t_end=0.5, mu=0.5)
jammed = jounce.simulate(rod, pushed, t_end=0.5, mu=1.6)
paradox = jammed.events[jammed.events["kind"] == "paradox"].iloc[0]
figure = jounce.plot.plot_critical_friction(least)
