"""Informers, queue, reconcile loop, conditions, events, leases, shards."""
