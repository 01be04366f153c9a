"""The memory of one call, by module: the tensors that live, the peak, and what a module keeps that PyTorch frees."""
