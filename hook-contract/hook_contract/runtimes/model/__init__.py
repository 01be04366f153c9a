"""A pure-Python model of the contract, without torch and .NET, as a runtime of hook programs."""
