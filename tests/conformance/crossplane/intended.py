"""Where we mean to do something else than Crossplane 1.20: kind, name and field, as patterns, and why. Data."""

from fnmatch import fnmatchcase

_BOTH_LINEAGES = "one definition serves 1.x and 2.x: what the other one has is there too"
_NO_STORES = "external secret stores were an alpha that 2.x dropped: nothing here reads their fields"
_SAYS_MORE = "the same, and the reason: whoever wrote the claim sees nothing else"
_GOES_ON = "what the server refuses keeps nothing else from being composed, and the reason says what was refused"
_NOT_PROMISED = (
    "what could not be rendered is not referred to before it is there; its name follows from what people wrote"
)
_NO_EMPTY = "no labels with nothing in them where there is no claim"
_HOLDS_NOTHING = "a finalizer where there is something to hold"
_FIRST_LOOK = "it was not ready the first time, before anything could be wrong with what is there"
_GIVEN_UP = "a field that the composition drops goes away; Crossplane leaves it where it is"

TABLE = (
    ("CompositeResourceDefinition", "*", ".spec.scope", _BOTH_LINEAGES),
    ("CompositeResourceDefinition", "*", ".status.conditions.*.observedGeneration", _BOTH_LINEAGES),
    ("CompositeResourceDefinition", "*", ".status.conditions.Synced", "whether it is as it should be is told of every kind"),
    ("CompositeResourceDefinition", "xinners.*", ".status.controllers.compositeResourceClaimType", "there is no claim type"),
    ("CustomResourceDefinition", "*", "*.properties.publishConnectionDetailsTo", _NO_STORES),
    ("CustomResourceDefinition", "*", "*.conditions.items.properties.observedGeneration", _BOTH_LINEAGES),
    ("CustomResourceDefinition", "*", "*.resourceRefs.items.properties.namespace", _BOTH_LINEAGES),
    ("CustomResourceDefinition", "*", "*.writeConnectionSecretToRef.properties.namespace", "accepted, where it is the claim's own"),
    ("Composition*", "*", ".spec.publishConnectionDetailsWithStoreConfigRef", _NO_STORES),
    ("*", "*", ".metadata.labels.crossplane.io/claim-name*", _NO_EMPTY),
    ("Thing", "*", ".status.conditions.Ready.message", _SAYS_MORE),
    ("XThing", "*", ".status.conditions.Synced.message", _SAYS_MORE),
    ("XThing", "<bad-path>", ".spec.resourceRefs", _NOT_PROMISED),
    ("XThing", "<mistransformed>", ".spec.resourceRefs", _NOT_PROMISED),
    ("XThing", "<required>", ".spec.resourceRefs", _NOT_PROMISED),
    ("XThing", "<wildcard>", ".spec.resourceRefs", _NOT_PROMISED),
    ("XThing", "<anonymous-faulty>", ".spec.resourceRefs[[]0[]]*", _NOT_PROMISED),
    ("XThing", "<by-no-label>", ".metadata.finalizers", _HOLDS_NOTHING),
    ("XThing", "<nothing-there>", ".metadata.finalizers", _HOLDS_NOTHING),
    ("XThing", "<unknown-set>", ".metadata.labels.crossplane.io/composite", "a composite is labelled as soon as it is chosen for"),
    ("XThing", "<required-back>", ".status.conditions.Ready", _FIRST_LOOK),
    ("XThing", "<wrong-check>", ".status.conditions.Ready", _FIRST_LOOK),
    *(("Gadget", f"<<{name}>/b>", "", _GOES_ON) for name in ("mistyped", "nowhere", "taken")),
    *(("XThing", f"<{name}>", path, _GOES_ON) for name in ("mistyped", "nowhere", "taken", "unknown-kind")
      for path in (".spec.resourceRefs*", ".status.conditions.Ready")),
    ("Gadget", "<<changing>/a>", ".spec.a", _GIVEN_UP),
    ("Gadget", "<<pausing>/a>", ".spec.a", _GIVEN_UP),
)  # fmt: skip


def intended(kind, name, path):
    """The entry that says why something is different there, or None."""
    return next((each for each in TABLE if all(map(fnmatchcase, (kind, name, path), each))), None)
