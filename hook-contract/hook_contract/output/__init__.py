"""Files that are written atomically, and the shared parts of pages and messages."""
