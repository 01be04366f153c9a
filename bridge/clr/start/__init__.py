"""The start of .NET in this process, and the addresses and operators of CPython and PyTorch that .NET needs."""
