// Programs use the global hooks of the process (G-3), so the tests of this assembly do not run in parallel.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
