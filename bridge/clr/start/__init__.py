"""Start .NET in this process, and give it the addresses and operators of CPython and PyTorch."""
