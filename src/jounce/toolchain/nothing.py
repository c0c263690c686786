"""The function of a model that has nothing to say: no joints, no guards, no compliant contacts."""

from jounce.toolchain.jit import state_model_function


@state_model_function
def nothing(t, q, u, p, out):
    """Write no number."""
