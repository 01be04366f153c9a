"""The models that ``make zoo`` ports, a file for each package that they come from."""
