"""The hot loop: compiled functions of plain records, nothing else of ours but toolchain/. Notation: docs/notation.md.

records    layouts and codes
contact    a mode at one state: forces, consistent modes, projection
flow       steps and flights
events     guards and where they vanish
impact     impulses
chatter    infinite runs of impacts
engine     the loop
tangent    derivatives of the motion
maps       sections, attractors, exponents
bodies     functions of machines that run from tables
"""
