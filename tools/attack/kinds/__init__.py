"""The kinds of attack: ``attack.kind`` imports every module of this package."""
