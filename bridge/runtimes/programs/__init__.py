"""Hook programs over ``torch.nn.Module``: one interpreter for whatever builds the modules, PyTorch or .NET behind mirrors."""
