"""Metadata that is refused, of kinds that ask nothing special of it."""

from .case import GONE, table

_LONG = "a" * 64
_OWNER = {"apiVersion": "v1", "kind": "ConfigMap", "name": "owner", "uid": "u-1"}

CASES = [
    *table(
        "podtemplate",
        ("a label key with two slashes", {"labels": {"a/b/c": "x"}}),
        ("a label key with nothing before the slash", {"labels": {"/b": "x"}}),
        ("a label key with nothing after the slash", {"labels": {"example.com/": "x"}}),
        ("a label key that is too long", {"labels": {_LONG: "x"}}),
        ("a label key with a bad domain", {"labels": {"Example_com/x": "x"}}),
        ("a label key with a long domain", {"labels": {f"{'a' * 254}/x": "x"}}),
        ("a label value that is too long", {"labels": {"a": _LONG}}),
        ("a label value with a space", {"labels": {"a": "b c"}}),
        ("a label value that ends in a dash", {"labels": {"a": "b-"}}),
        ("an annotation key with a space", {"annotations": {"a b": "x"}}),
        ("annotation keys may have capitals in their domains", {"annotations": {"Example.com/x": "y"}}),
        ("annotations that are too large", {"annotations": {"a": "x" * 262144}}),
        ("an owner without a kind", {"ownerReferences": [{**_OWNER, "kind": ""}]}),
        ("an owner without a version", {"ownerReferences": [{**_OWNER, "apiVersion": ""}]}),
        ("an owner without a name and a uid", {"ownerReferences": [{**_OWNER, "name": "", "uid": ""}]}),
        ("an Event as owner", {"ownerReferences": [{**_OWNER, "kind": "Event"}]}),
        (
            "two controllers",
            {"ownerReferences": [{**_OWNER, "controller": True}, {**_OWNER, "uid": "u-2", "controller": True}]},
        ),
        ("a finalizer that is no name", {"finalizers": ["a b/c"]}),
        ("a finalizer that is neither known nor qualified", {"finalizers": ["mine"]}),
        ("finalizers that contradict each other", {"finalizers": ["orphan", "foregroundDeletion"]}),
        ("finalizers that are known", {"finalizers": ["kubernetes", "orphan"]}),
        ("a name with a capital", {"name": "Bad"}),
        ("a name with a slash", {"name": "a%2Fb"}),
        ("a name that is too long", {"name": "a" * 254}),
        ("a name that ends in a dot", {"name": "a."}),
        ("a bad name and a bad label", {"name": "A", "labels": {"a": "b c"}}),
        at="metadata|",
    ),
    *table(
        "podtemplate",
        ("a label that is none", {"labels": {"a": "b c"}}),
        ("an annotation that is none", {"annotations": {"a b": "c"}}),
        ("an owner that is none", {"ownerReferences": [{**_OWNER, "uid": ""}]}),
        ("a finalizer that is neither known nor qualified", {"finalizers": ["mine"]}),
        ("a finalizer that is no name", {"finalizers": ["a b/c"]}),
        ("nothing at all", {"annotations": GONE}),
        at="metadata|",
        verb="update",
    ),
    *table(
        "rc",
        ("a name with a capital", {"name": "Bad"}),
        ("a name that is too long", {"name": "a" * 254}),
        at="metadata|",
    ),
    *table("statefulset", ("a name with a dot", {"name": "a.b"}), ("a long name", {"name": _LONG}), at="metadata|"),
]
