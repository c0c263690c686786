"""Status and options for runs written by hand."""

from types import SimpleNamespace


def finished(t):
    return SimpleNamespace(name="FINISHED", message=f"reached t = {t:g} s")


def options():
    return SimpleNamespace()
