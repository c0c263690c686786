"""Periodic orbits and equilibria: found by Newton's method, followed in parameters, their bifurcations located.

mode_surface       the surface on which a mode keeps the motion
signature       what an orbit does: the sequence of its events, and how two such sequences differ
closing         how long a motion takes to return: the first guess of a period
shooting        the equations of a periodic orbit and their Jacobian
periodic_orbit  PeriodicOrbit, find_orbit
arclength       a branch followed by pseudo-arclength
continuation    continue_orbit: stable and unstable parts, folds passed, signature changes located
bifurcations    test functions of the multipliers
curves          folds and flips in two parameters
branch          Branch: the table, the special points
equilibrium     Equilibrium, find_equilibrium, continue_equilibrium
"""
