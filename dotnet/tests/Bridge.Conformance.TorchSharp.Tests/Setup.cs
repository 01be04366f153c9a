// Global hooks and what is listened to in the process are not a test's own, so no two tests of this assembly may run at once.
[assembly: CollectionBehavior(DisableTestParallelization = true)]
