"""Periodic orbits and equilibria: found by Newton's method, followed in parameters, their bifurcations located.

solution        mode_surface (where a mode keeps the motion), signature (what an orbit does), closing (first guess of
                a period), shooting (equations and Jacobian), nodes, multipliers, periodic_orbit (find_orbit)
continuation    arclength, walk (one direction of a branch), continue_orbit, branch and summary (the table), restart,
                switching (switch_branch), curves (folds and flips in two parameters)
bifurcations    test_functions of the multipliers, boundaries (changes of signature), touching (grazings as zeros of
                smooth quantities), chatter_threshold, origins (Hopf points, period doublings)
equilibria      equilibrium (find_equilibrium), equilibrium_branch (continue_equilibrium)
files           all of them on disk
"""
