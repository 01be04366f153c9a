// Global hooks, warnings and ids belong to the process (G-3, H-1), so the tests of this assembly do not run in parallel.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
