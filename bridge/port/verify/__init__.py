"""Whether a port does as its original: a comparison at several shapes, then drawn inputs until a time limit."""
