"""Shutdown, interrupts and forks of a process that hosts .NET."""
