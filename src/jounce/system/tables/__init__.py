"""Machines as tables: from bodies, joints, forces and contacts to what kernels/bodies reads, without a compiler."""
