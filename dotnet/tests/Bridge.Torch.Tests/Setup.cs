// Live handles, orphans and the count of recordings are process-wide, so no two tests of this assembly may run at once.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
