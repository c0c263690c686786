"""P. Flores and J. Ambrosio (2010): compliant contact found in time, and a mechanism with play."""
