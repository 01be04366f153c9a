"""The kinds of attack: each a function that takes a :class:`attack.case.Case`, and raises when something was wrong."""
