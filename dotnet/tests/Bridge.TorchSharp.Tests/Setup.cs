// Global hooks and HookWarnings belong to the process, so the tests of this assembly do not run in parallel.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
