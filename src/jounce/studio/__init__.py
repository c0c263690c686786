"""Jounce Studio: a page in the browser with the engine behind it (extra ``studio``).

The sources of the page are in studio/ at the top of the tree; static/ holds the bundle made from them.
"""
