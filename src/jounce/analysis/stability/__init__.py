"""The linearised flow and Lyapunov exponents."""
