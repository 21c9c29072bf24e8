KEPT = ("TestSyncStatusOptionIgnore", "TestDiscoverNewCommit")
APART = {}
