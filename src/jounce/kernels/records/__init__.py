"""The layouts on which kernels work, and the integers by which they speak."""
