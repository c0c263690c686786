"""Where branches change: test functions, changes of signature, origins."""
