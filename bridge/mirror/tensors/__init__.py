"""Parameters, buffers and autograd functions that C# creates."""
