"""Find a .NET installation and our compiled assemblies, by their paths, without loading anything."""
