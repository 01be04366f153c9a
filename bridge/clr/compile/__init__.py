"""Build C# projects with the .NET SDK, and rebuild them while they are edited."""
