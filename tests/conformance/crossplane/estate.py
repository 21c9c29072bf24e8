"""What both are given to compose: each composition is one thing that they could do differently. Data."""

from .kit import (
    API,
    back,
    claim,
    combined,
    composite,
    composition,
    definition,
    gadget,
    hook,
    into,
    required,
    resource,
    version,
)

DEFINITIONS = [
    definition("XThing", claim="Thing"),
    definition("XInner", defaultCompositionRef={"name": "inner"}),
    definition(
        "XStore",
        claim="Store",
        connectionSecretKeys=["user", "address", "password"],
        defaultCompositeDeletePolicy="Foreground",
        defaultCompositionRef={"name": "store"},
        metadata={"labels": {"team": "data"}, "annotations": {"note": "kept"}},
    ),
    definition("XEnforced", claim="Enforced", enforcedCompositionRef={"name": "enforced"}),
    definition(
        "XManual",
        claim="Manual",
        defaultCompositionUpdatePolicy="Manual",
        versions=[
            version(),
            version(
                "v1beta1",
                referenceable=False,
                deprecated=True,
                deprecationWarning="use v1alpha1",
                additionalPrinterColumns=[
                    {"name": "Where", "type": "string", "jsonPath": ".spec.parameters.namespace"}
                ],
            ),
        ],
    ),
]

PATCHES = composition(
    "patches",
    resource(
        "all",
        gadget(fixed="yes"),
        {"type": "PatchSet", "patchSetName": "labelled"},
        into("spec.parameters.size", "spec.size"),
        into("metadata.labels[team]", "metadata.annotations[team.example.org/name]"),
        into("spec.parameters.absent", "spec.absent"),
        combined("From", "spec.both", "%s/%d", "spec.parameters.size", "spec.parameters.count"),
        combined("From", "spec.none", "%s/%s", "spec.parameters.size", "spec.parameters.absent"),
        back("metadata.name", "status.seen.name", {"type": "string", "string": {"type": "Format", "fmt": "named %.3s"}}),
        back("spec", "status.seen.data"),
        back("spec.fixed", "spec.parameters.told"),
        back("spec.absent", "status.seen.absent"),
        combined("To", "status.address", "%s:%s", "spec.fixed", "spec.size"),
    ),
    resource(
        "lists",
        hook(),
        into("spec.parameters.url", "webhooks[*].clientConfig.url"),
        into("spec.parameters.labels", "webhooks[0].objectSelector.matchLabels"),
        into("spec.parameters.labels", "metadata.labels", policy={"mergeOptions": {"keepMapValues": True}}),
        into("spec.parameters.args", "webhooks[0].admissionReviewVersions", policy={"mergeOptions": {"appendSlice": True}}),
        readinessChecks=[{"type": "MatchInteger", "fieldPath": "webhooks[0].timeoutSeconds", "matchInteger": 10}],
    ),
    resource(
        "unnamed-type", gadget(), {"fromFieldPath": "spec.parameters.size", "toFieldPath": "spec.size"},
        into("spec.parameters", "spec.all", {"type": "string", "string": {"type": "Convert", "convert": "ToJson"}}),
    ),
    patchSets=[{"name": "labelled", "patches": [into("metadata.labels", "metadata.labels"), into("spec.parameters.size", "spec.from-set")]}],
)  # fmt: skip


def text(**string):
    return {"type": "string", "string": string}


def convert(to, **more):
    return {"type": "convert", "convert": {"toType": to, **more}}


def match(*patterns, **more):
    return {"type": "match", "match": {"patterns": list(patterns), **more}}


def math(**more):
    return {"type": "math", "math": more}


_SIZE, _COUNT = "spec.parameters.size", "spec.parameters.count"
_STRING = convert("string")
TRANSFORMS = composition(
    "transforms",
    resource(
        "texts",
        gadget(),
        into(_SIZE, "spec.map", {"type": "map", "map": {"small": "s", "large": "l"}}),
        into(_SIZE, "spec.literal", match({"type": "literal", "literal": "small", "result": "tiny"}, fallbackValue="other")),
        into(_SIZE, "spec.regexp", match({"type": "regexp", "regexp": "^sm.*", "result": "matched"})),
        into(_SIZE, "spec.fallback", match({"type": "literal", "literal": "no", "result": "no"}, fallbackTo="Input")),
        into(_COUNT, "spec.multiplied", math(multiply=3), _STRING),
        into(_COUNT, "spec.clamped", math(type="ClampMax", clampMax=2), _STRING),
        into(_COUNT, "spec.raised", math(type="ClampMin", clampMin=100), _STRING),
        into(_SIZE, "spec.upper", text(type="Convert", convert="ToUpper")),
        into(_SIZE, "spec.base64", text(type="Convert", convert="ToBase64")),
        into(_SIZE, "spec.sha1", text(type="Convert", convert="ToSha1")),
        into(_SIZE, "spec.adler", text(type="Convert", convert="ToAdler32")),
        into(_SIZE, "spec.trimmed", text(type="TrimPrefix", trim="sm"), text(type="TrimSuffix", trim="l")),
        into(_SIZE, "spec.group", text(type="Regexp", regexp={"match": "s(m)a", "group": 1})),
        into("spec.parameters.args", "spec.joined", text(type="Join", join={"separator": ", "})),
        into("spec.parameters.labels", "spec.printed", text(fmt="%v")),
        into("spec.parameters.labels", "spec.missed", text(fmt="%d and %s")),
        into("spec.parameters.quantity", "spec.quantity", convert("float64", format="quantity"), _STRING),
        into("spec.parameters.json", "spec.json", convert("object", format="json"), text(type="Convert", convert="ToJson")),
        into("spec.parameters.flag", "spec.flag", convert("int64"), _STRING),
        into("spec.parameters.ratio", "spec.ratio", _STRING),
    ),
    resource("numbers", gadget(), into("spec.parameters.text", "spec.count", convert("int64"), math(multiply=3)),
             into("spec.parameters.yes", "spec.on", convert("bool")), into("spec.parameters.ratio", "spec.ratio", math(multiply=2)),
             into("spec.parameters.json", "spec.parsed", convert("object", format="json"))),
)  # fmt: skip

READY = {"status": {"conditions": [{"type": "Ready", "status": "True"}, {"type": "Done", "status": "False"}]}}
READINESS = composition(
    "readiness",
    resource("string", gadget(state="up"), readinessChecks=[{"type": "MatchString", "fieldPath": "spec.state", "matchString": "up"}]),
    resource("integer", hook(), readinessChecks=[{"type": "MatchInteger", "fieldPath": "webhooks[0].timeoutSeconds", "matchInteger": 10}]),
    resource("true", gadget(on=True), readinessChecks=[{"type": "MatchTrue", "fieldPath": "spec.on"}]),
    resource("false", gadget(on=False), readinessChecks=[{"type": "MatchFalse", "fieldPath": "spec.on"}]),
    resource("present", gadget(a="b"), readinessChecks=[{"type": "NonEmpty", "fieldPath": "spec.a"}]),
    resource("ready", {**gadget(), **READY}, readinessChecks=[]),
    resource("condition", {**gadget(), **READY}, readinessChecks=[
        {"type": "MatchCondition", "matchCondition": {"type": "Done", "status": "False"}},
        {"type": "NonEmpty", "fieldPath": "status.conditions"},
    ]),
    resource("none", gadget()),
)  # fmt: skip
UNREADY = composition(
    "unready",
    resource("no-condition", gadget(), readinessChecks=[]),
    resource("d", gadget(), readinessChecks=[{"type": "NonEmpty", "fieldPath": "spec.absent"}]),
    resource("c", gadget(a="b"), readinessChecks=[{"type": "MatchString", "fieldPath": "spec.a", "matchString": "c"}]),
    resource("b", gadget(), readinessChecks=[{"type": "MatchTrue", "fieldPath": "spec.absent"}]),
    resource("a", gadget()),
)  # fmt: skip
WRONG_CHECK = composition(
    "wrong-check",
    resource("first", gadget(a="b"), readinessChecks=[{"type": "MatchInteger", "fieldPath": "spec.a", "matchInteger": 1}]),
    resource("second", gadget()),
)  # fmt: skip

SECRETS = [
    composition(
        "store",
        resource(
            "inner",
            {"apiVersion": API, "kind": "XInner", "spec": {"writeConnectionSecretToRef": {"namespace": "shop"}}},
            into("metadata.uid", "spec.writeConnectionSecretToRef.name", text(fmt="%s-inner")),
            into("spec.parameters", "spec.parameters"),
            readinessChecks=[],
            connectionDetails=[
                {"fromConnectionSecretKey": "user"},
                {"name": "kept-back", "fromConnectionSecretKey": "user"},
                {"name": "password", "type": "FromConnectionSecretKey", "fromConnectionSecretKey": "token"},
                {"fromConnectionSecretKey": "absent"},
            ],
        ),
        resource(
            "config",
            gadget(address="db.example.org"),
            connectionDetails=[
                {"name": "address", "fromFieldPath": "spec.address"},
                {"name": "nothing", "fromFieldPath": "spec.nothing"},
            ],
        ),
        of="XStore",
        writeConnectionSecretsToNamespace="crossplane-system",
    ),
    composition(
        "inner",
        resource(
            "config",
            gadget(a="b"),
            connectionDetails=[
                {"name": "user", "value": "ada"},
                {"name": "token", "type": "FromValue", "value": "s3cret"},
                {"name": "whole", "type": "FromFieldPath", "fromFieldPath": "spec"},
            ],
        ),
        of="XInner",
    ),
]

FAULTY = [
    composition("required", resource("a", gadget(), into("spec.parameters.later", "spec.later", **required())), resource("b", gadget())),
    composition("required-back", resource("a", gadget(), back("spec.absent", "status.address", **required())), resource("b", gadget())),
    composition("refused", resource("a", hook(sideEffects="Many")), resource("b", gadget())),
    composition("mistransformed", resource("a", gadget(), into(_SIZE, "spec.size", {"type": "map", "map": {"large": "l"}})), resource("b", gadget())),
    composition("wrong-type", resource("a", gadget(), into(_COUNT, "spec.size")), resource("b", gadget())),
    composition("mistyped", resource("a", hook(), into(_SIZE, "webhooks[0].timeoutSeconds")), resource("b", gadget())),
    composition("nowhere", resource("a", {"apiVersion": "v1", "kind": "ConfigMap"}), resource("b", gadget())),
    composition("unknown-kind", resource("a", {"apiVersion": "nobody.example.org/v1", "kind": "Nothing"}), resource("b", gadget())),
    composition("unknown-set", resource("a", gadget(), {"type": "PatchSet", "patchSetName": "absent"})),
    composition("bad-path", resource("a", gadget(), into("spec.parameters[", "spec.a")), resource("b", gadget())),
    composition("wildcard", resource("a", gadget(), into(_SIZE, "spec.items[*].size")), resource("b", gadget())),
    composition("taken", resource("a", gadget(), into("spec.parameters.take", "metadata.name")), resource("b", gadget())),
    composition("not-a-list", resource("a", gadget(), into(_SIZE, "spec.list[0]")), resource("b", gadget())),
]  # fmt: skip

ANONYMOUS = [
    composition("anonymous", resource("", gadget(which="first")), resource("", gadget(which="second")),
                resource("", hook(), back("metadata.name", "status.seen.third", text(fmt="%.4s")))),
    composition("anonymous-faulty", resource("", gadget(), into("spec.parameters.absent", "spec.a", **required())),
                resource("", gadget(which="second"))),
    composition("anonymous-unready", resource("", gadget(), readinessChecks=[]), resource("", gadget())),
]  # fmt: skip

OTHERS = [
    composition("labelled-a", resource("a", gadget(which="a")), labels={"flavour": "sweet", "tier": "one"}),
    composition("labelled-b", resource("a", gadget(which="b")), labels={"flavour": "sour"}),
    composition("for-another", resource("a", gadget()), of="XInner", labels={"flavour": "bitter"}),
    composition("enforced", resource("a", gadget(which="enforced")), of="XEnforced"),
    composition("tempting", resource("a", gadget(which="tempting")), of="XEnforced"),
    composition("manual", resource("a", gadget(revision="1")), of="XManual"),
    composition("channel", resource("a", gadget(revision="1")), labels={"channel": "stable"}),
    composition("shrinking", resource("stays", gadget(a="b")), resource("goes", gadget(c="d"))),
    composition("turning", resource("a", gadget(a="b")), resource("b", gadget())),
    composition("reordered", resource("y", gadget(y="1")), resource("z", gadget(z="1"))),
    composition("changing", resource("a", gadget(a="b"), into(_SIZE, "spec.size"))),
    composition(
        "nesting",
        resource("inner", {"apiVersion": API, "kind": "XInner", "metadata": {"name": "ignored"}},
                 into("spec.parameters", "spec.parameters"), into("metadata.labels[team]", "metadata.labels[team]"),
                 back("status.conditions[0].type", "status.seen.first"), readinessChecks=[]),
        resource("side", gadget()),
    ),
    composition("overlaid", resource("marked", {**gadget(a="b"), "metadata": {
        "name": "mine", "namespace": "elsewhere", "generateName": "mine-", "labels": {"own": "1", "crossplane.io/composite": "nobody"},
        "annotations": {"own": "1", "crossplane.io/external-name": "outside"}, "finalizers": ["example.org/hold"]}})),
]  # fmt: skip

COMPOSITIONS = [PATCHES, TRANSFORMS, READINESS, UNREADY, WRONG_CHECK, *SECRETS, *FAULTY, *ANONYMOUS, *OTHERS]
PARAMETERS = {
    "size": "small", "count": 7, "url": "https://127.0.0.1:2/", "labels": {"app": "mine", "extra": "1"},
    "args": ["v1", "v1beta1"], "quantity": "1500m", "json": '{"a": [1, 2.5]}', "flag": True, "ratio": 0.25, "text": "3", "yes": "true",
}  # fmt: skip


OCCUPIED = {**gadget(), "metadata": {"name": "occupied"}}
"""Something that another controller has."""


def chosen(name, **more):
    return claim(
        name,
        parameters={**PARAMETERS, **({"take": "occupied"} if name == "taken" else {})},
        compositionRef={"name": name},
        **more,
    )


CLAIMED = (
    "patches", "transforms", "readiness", "unready", "wrong-check", "required", "required-back", "refused", "mistransformed",
    "wrong-type", "mistyped", "nowhere", "unknown-kind", "unknown-set", "bad-path", "wildcard", "taken", "not-a-list", "anonymous",
    "anonymous-faulty", "anonymous-unready", "shrinking", "turning", "reordered", "changing", "nesting", "overlaid",
)  # fmt: skip
MADE = [
    composite("alone", parameters=PARAMETERS, compositionRef={"name": "labelled-a"}),
    composite("alone-nested", compositionRef={"name": "nesting"}),
    composite("unbound", compositionRef={"name": "labelled-b"}),
    composite("alone-paused", metadata={"annotations": {"crossplane.io/paused": "true"}}, compositionRef={"name": "labelled-a"}),
    *(chosen(name, metadata={"labels": {"team": "web", "app.kubernetes.io/name": "left"},
                             "annotations": {"example.org/note": "handed on", "kubectl.kubernetes.io/left": "here"}})
      for name in CLAIMED),
    claim("stored", "Store", {"size": "small"}, writeConnectionSecretToRef={"name": "details"}),
    claim("stored-quietly", "Store"),
    claim("forced", "Enforced", compositionRef={"name": "tempting"}),
    claim("by-hand", "Manual"),
    claim("by-label", compositionSelector={"matchLabels": {"flavour": "sweet"}}),
    claim("by-no-label", compositionSelector={"matchLabels": {"flavour": "bitter"}}),
    claim("nothing-there", compositionRef={"name": "absent"}),
    claim("channelled", compositionRef={"name": "channel"}, compositionRevisionSelector={"matchLabels": {"channel": "stable"}}),
    claim("outside", metadata={"annotations": {"crossplane.io/external-name": "known-outside"}}, compositionRef={"name": "labelled-b"}),
    claim("paused", metadata={"annotations": {"crossplane.io/paused": "true"}}, compositionRef={"name": "labelled-a"}),
    claim("going", compositionRef={"name": "labelled-a"}),
    claim("going-slowly", compositionRef={"name": "labelled-a"}, compositeDeletePolicy="Foreground"),
    claim("pausing", compositionRef={"name": "changing"}),
    claim("relabelled", compositionRef={"name": "labelled-b"}, metadata={"labels": {"old": "1", "stays": "1"}, "annotations": {"old": "1"}}),
    claim("binding", compositionRef={"name": "labelled-b"}, resourceRef={"apiVersion": API, "kind": "XThing", "name": "unbound"}),
]  # fmt: skip

CHANGED = [
    composition("shrinking", resource("stays", gadget(a="b"))),
    composition("turning", resource("b", gadget()), resource("a", hook())),
    composition("reordered", resource("z", gadget(z="2")), resource("y", gadget(y="1")), resource("a", gadget())),
    composition("changing", resource("a", gadget(b="new"), into(_SIZE, "spec.size"))),
    composition("manual", resource("a", gadget(revision="2")), of="XManual"),
    composition("channel", resource("a", gadget(revision="2")), labels={"channel": "edge"}),
    composition("labelled-b", resource("a", gadget(which="b", more={"deep": [1, {"a": None}]})), labels={"flavour": "sour"}),
    composition("anonymous", resource("", gadget(which="first", more="1")), resource("", gadget(which="second")),
                resource("", hook(), back("metadata.name", "status.seen.third", text(fmt="%.4s")))),
]  # fmt: skip
PAUSE = "crossplane.io/paused"
AMENDED = (
    ("Thing", "required", {"spec": {"parameters": {"later": "now"}}}),
    ("Thing", "anonymous-faulty", {"spec": {"parameters": {"absent": "now"}}}),
    ("Thing", "paused", {"metadata": {"annotations": {PAUSE: None}}}),
    ("Thing", "pausing", {"metadata": {"annotations": {PAUSE: "true"}}, "spec": {"parameters": {"size": "huge"}}}),
    ("Thing", "relabelled", {"metadata": {"labels": {"old": None, "new": "2"}, "annotations": {"old": None, "new": "2"}}}),
    ("Thing", "patches", {"spec": {"parameters": {"size": "large", "labels": {"extra": None}, "args": ["v1", "v2"]}}}),
    ("Thing", "by-no-label", {"spec": {"compositionSelector": {"matchLabels": {"flavour": "sour"}}}}),
    ("Thing", "unready", {"spec": {"compositionRef": {"name": "labelled-a"}}}),
    ("Enforced", "forced", {"spec": {"compositionRef": {"name": "tempting"}}}),
    ("XThing", "alone-paused", {"metadata": {"annotations": {PAUSE: None}}}),
)  # fmt: skip
DELETED = (("Thing", "going"), ("Thing", "going-slowly"), ("XThing", "alone"), ("Store", "stored-quietly"))
DRIFTED = "outside"
"""Whose resource somebody changes by hand."""
LOST = "by-label"
"""Whose resource somebody deletes by hand."""
