"""The check whether a port does the same as its original: comparisons at several shapes, then drawn inputs until a time limit."""
