// Programs use the global hooks of the process (G-3), and so do these tests, so no two of them may run at once.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
