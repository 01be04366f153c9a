"""Pairs of trace files with their verdicts: tests/trace/pairs.jsonl, on which Python and the .NET tool torchsharp-trace must agree."""
