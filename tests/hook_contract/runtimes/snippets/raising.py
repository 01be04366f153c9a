"""A module that raises when it is imported."""

RUNTIME = 1 / 0
