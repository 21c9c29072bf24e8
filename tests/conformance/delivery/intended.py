"""Where we mean to say something else than Argo CD: the application, the fields of its standing, and why. Data."""

from typing import Final

_KUBECTL: Final = "kubectl's remarks are no news to who reads about a sync"
_CLUSTER_SCOPE: Final = "a kind without namespaces is in none, where Argo CD puts down the destination's"
_SCHEMA: Final = "what we apply is checked against the server's schema, which words it differently"
_UNKNOWN_FIELD: Final = "a field that does not exist is refused and named; Argo CD drops it and never comes to rest"
_DROPPED: Final = "a field that the server was to drop is no difference; Argo CD never comes to rest"
_WORDS: Final = "the reason without the names of the programs that it went through"
_STAYS: Final = "where nobody knows what should be there, nothing is said about how it fares"
_EARLIER: Final = "what can never be applied is refused when it is read, with its place in the file"
_UNTOUCHED: Final = "an object that is as it should be is not written, and said to be unchanged"

_TABLE: Final = (
    ("roles", ("results",), _KUBECTL),
    ("cluster-kind", ("results",), f"{_KUBECTL}; {_CLUSTER_SCOPE}"),
    ("found", ("results",), _KUBECTL),
    ("forbidden-cluster-kind", ("results",), _CLUSTER_SCOPE),
    ("generated", ("resources",), "a hook that got its name from a sync is marked with it, as others are"),
    ("unknown-kind", ("message",), "the kind that is missing is named in both places"),
    ("unknown-version", ("message",), "the kind that is missing is named in both places"),
    ("unknown-kind-later", ("message", "results"), _KUBECTL),
    ("mistyped", ("message", "results"), _SCHEMA),
    ("misspelt", ("phase", "message", "results", "history"), _UNKNOWN_FIELD),
    ("no-validation", ("sync", "resources"), _DROPPED),
    ("nameless", ("sync", "health", "conditions", "phase", "message", "results", "resources"), _EARLIER),
    ("immutable", ("message", "results"), _KUBECTL),
    ("recreated", ("message", "results"), _KUBECTL),
    ("server-side", ("results",), _UNTOUCHED),
    ("no-such-project", ("message",), _WORDS),
    ("no-such-cluster", ("message",), _WORDS),
    ("no-such-path", ("conditions", "message"), _WORDS),
    ("no-such-branch", ("conditions", "message"), _WORDS),
    ("broken-jq", ("conditions", "message", "resources"), f"{_WORDS}; {_STAYS}"),
)

INTENDED: Final = {(name, field): why for name, fields, why in _TABLE for field in fields}
