"""Periodic orbits and equilibria: found by Newton's method, followed in parameters, their bifurcations located.

mode_surface       the surface on which a mode keeps the motion
signature          what an orbit does: the sequence of its events, and how two motions differ
closing            how long a motion takes to return: the first guess of a period
shooting           the equations of a periodic orbit and their Jacobian
multipliers        the eigenvalues of the monodromy matrix
periodic_orbit     PeriodicOrbit, find_orbit
arclength          a branch followed by pseudo-arclength
continuation       continue_orbit
walk               one direction of it: stable and unstable parts, folds passed
nodes, restart     where the nodes are; what an interrupted walk needs to go on
bifurcations       test functions of the multipliers
boundaries         changes of signature: located, named, crossed
touching           grazings as zeros of smooth quantities
chatter_threshold  the end of complete chatter as such a zero
origins            where a branch began: Hopf points, period doublings
switching          switch_branch
curves             folds and flips in two parameters
branch, summary    Branch: the table, the special points
equilibrium        Equilibrium, find_equilibrium; equilibrium_branch: continue_equilibrium
files              all of them on disk
"""
