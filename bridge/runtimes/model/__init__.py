"""The contract as a program that runs, without torch and without .NET, and as a runtime of hook programs."""
