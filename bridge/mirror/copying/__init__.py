"""Copies of a C# model that Python has loaded: pickles and DataParallel replicas."""
