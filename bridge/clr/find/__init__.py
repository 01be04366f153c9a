"""The search for a .NET installation and for our compiled assemblies; nothing is loaded."""
