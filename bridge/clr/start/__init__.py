"""Host .NET in this process and hand it the addresses and operators of CPython and PyTorch."""
