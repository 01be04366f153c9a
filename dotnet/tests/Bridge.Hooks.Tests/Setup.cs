// Global hooks, warnings and ids are process-wide (G-3, H-1), so no two tests of this assembly may run at once.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
