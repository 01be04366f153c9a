"""Builds of C# projects with the .NET SDK, and fast rebuilds while the sources are edited."""
