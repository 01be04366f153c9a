"""The reports of a comparison: terminal, HTML page, plot and JSON."""
