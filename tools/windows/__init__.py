"""Windows x64 under Wine: the commands and tests of a user on Windows, run on Linux (``make windows``)."""
