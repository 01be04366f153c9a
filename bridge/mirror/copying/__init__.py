"""Copies of a mirrored model: pickles and DataParallel replicas."""
