"""Calls for functions under test, and the short way to ask."""

import asyncio

from plumbline.composition.functions.values import Call, Resource, State

XR = {
    "apiVersion": "example.org/v1",
    "kind": "XR",
    "metadata": {"name": "x", "labels": {"team": "a"}},
    "spec": {"region": "eu", "count": 2},
}


def call(*, desired=None, observed=None, xr=None, **fields):
    """A call about the usual composite; resources are objects or Resources by name."""
    return Call(
        observed=State(Resource(xr or XR), _resources(observed)), desired=State(resources=_resources(desired)), **fields
    )


def _resources(given):
    return {name: each if isinstance(each, Resource) else Resource(each) for name, each in (given or {}).items()}


def ask(function, asked):
    return asyncio.run(function.run(asked))


def refusal(answer):
    """The words of a fatal result; empty where there is none."""
    return next((each.message for each in answer.results if each.severity == "Fatal"), "")
