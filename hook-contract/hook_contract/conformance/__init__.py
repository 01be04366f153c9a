"""The conformance suite: runs of programs on runtimes, their judgement, reports, results and pages."""
