"""
Why does a bow make a string sing?
==================================

A mass on a spring touches a belt. It sticks until the spring overcomes static friction, slips back, and is
caught again: stick-slip. Both phases have closed forms, and so has the period.
"""

import jounce

belt = jounce.compile_model(jounce.systems.belt_oscillator())
run = jounce.simulate(belt, {"x": 0.0}, t_end=40.0, v_belt=0.2, mu=0.3, mu_s=0.4)
caught = run.events[run.events["kind"] == "stick"]["t"].to_numpy()
period = caught[-1] - caught[-2]
print(f"period {period:.6f} s; a free oscillation takes {2 * 3.14159265 / 10**0.5:.6f} s")
figure = jounce.plot.plot_time_history(run, ["x", "d_x"])
