"""Broken objects of every kind that pods are made of, and what the API server answers to them."""

from . import containers, jobs, later, metadata, specs, updates, volumes, workloads

CASES = [
    *metadata.CASES,
    *containers.CASES,
    *volumes.CASES,
    *specs.CASES,
    *updates.CASES,
    *workloads.CASES,
    *jobs.CASES,
    *later.CASES,
]
