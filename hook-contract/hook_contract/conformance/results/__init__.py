"""Results of runtimes that are kept and compared: their files, and the page of several files."""
