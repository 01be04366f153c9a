"""Shutdown, signals and forks of a process that hosts .NET."""
