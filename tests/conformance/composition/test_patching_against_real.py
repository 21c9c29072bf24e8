"""Field paths, merges, transforms, patches, connection details and readiness, compared with Crossplane's own packages.

Cases are made at random from a fixed seed, of few names and small values, so that they meet; some hundreds of each sort.
"""

import subprocess
from random import Random

import pytest
from tests.conformance.real import programs

from plumbline.base.errors import PlumblineError
from plumbline.base.json import decode, encode
from plumbline.base.plaintext import Plaintext
from plumbline.composition.functions.values import Resource
from plumbline.composition.patching.connections import Details
from plumbline.composition.patching.govalues import printed, settled
from plumbline.composition.patching.patches import ENDS, Patch, PatchSets, Target
from plumbline.composition.patching.readiness import Checks
from plumbline.composition.patching.templates import PatchTemplate, Resources, ResourceTemplate, Transform, read
from plumbline.composition.patching.transforms import Transforms
from plumbline.gotemplate.values import type_name
from plumbline.kube.fieldpath import (
    MergeOptions,
    expanded,
    merged,
    parsed,
    text_of,
    value_at,
    with_value,
    without,
)

pytestmark = pytest.mark.conformance

SEED = 20
NAMES = ("a", "b", "c", "*", "x.y", "0", "kind")
SCALARS = (
    "", "a", "b", "hello", "Hello, World", "1", "0", "true", "12.5", "1e3", "1Gi", "500m", "-7", "ß ǆ ᾳ İ", "aGk=", "aGk",
    "a=bc", "YQ==", "YQ=", "[1, 2.5]", '{"a": [1, null]}', "null", "<&>", "arn:aws:iam::1234:role/x", 0, 1, -3, 7, 1024,
    1000000, 2**53, 0.5, 1.0, -2.5, 1e21, 1e-7, 1234567.125, True, False, None,
)  # fmt: skip


def chance():
    return Random(SEED)  # noqa: S311 - chance that can be repeated


@pytest.fixture(scope="module")
def ask():
    program = programs() / "crossplane-patching"
    if not program.exists():
        pytest.fail(f"{program} is not there; run `make peers` first")

    def asked(questions):
        done = subprocess.run([program], input=encode(questions), check=True, capture_output=True, timeout=120)
        return decode(done.stdout)

    return asked


def compare(ask, questions, ours):
    differences = []
    for question, told in zip(questions, ask(questions), strict=True):
        if told.get("fault", "").startswith(("panic", "unreadable")):
            continue
        mine, theirs = answered(ours, question), _rounded(told)
        if "type" in theirs and "type" not in mine:
            theirs.pop("type")
        if mine != theirs and not _any_key_first(mine, theirs):
            differences.append((question, theirs, mine))
    assert differences == []


def _rounded(told):
    """What is no int64 was a float."""
    if isinstance(told, int) and not isinstance(told, bool):
        return told if -(2**63) <= told < 2**63 else float(told)
    if isinstance(told, dict):
        return {key: _rounded(each) for key, each in told.items()}
    return [_rounded(each) for each in told] if isinstance(told, list) else told


def _any_key_first(mine, theirs):
    """Upstream looks at the keys of a map in any order, and complains of the first that it cannot go on with."""
    faults = [each.get("fault", "").split(": ")[:2] for each in (mine, theirs)]
    return faults[0] == faults[1] and faults[0][0] == "cannot expand wildcards for segments"


def answered(ours, question):
    try:
        return {"value": None} | ours(question)
    except PlumblineError as fault:
        told = {"value": None, "fault": str(fault)}
        return told | {"notFound": True} if fault.code == "field-not-found" else told


def value(random, depth=3):
    roll = random.random()
    if depth and roll < 0.25:
        return [value(random, depth - 1) for _ in range(random.randint(0, 3))]
    if depth and roll < 0.6:
        return {random.choice(NAMES): value(random, depth - 1) for _ in range(random.randint(0, 3))}
    return random.choice(SCALARS)


def an_object(random):
    return {random.choice(NAMES): value(random) for _ in range(random.randint(1, 4))} | {"kind": "Thing"}


def path(random, *, wild=False):
    parts = []
    for _ in range(random.randint(1, 4)):
        name = random.choice(NAMES[:3])
        parts.append(random.choice([f".{name}", f".{name}", f"[{random.randint(0, 3)}]", "['x.y']", f"[{name}]"]))
        if wild and random.random() < 0.5:
            parts[-1] = "[*]"
    return "".join(parts).removeprefix(".")


def test_paths_are_read_alike(ask):
    random = chance()
    texts = [
        "",
        "a",
        "é.b",
        "é..b",
        "[0]",
        "[00]",
        "[4294967295]",
        "[4294967296]",
        "['0']",
        "a['']",
        "data[.config.yml]",
        "a.[0]",
        "a[0]b",
    ]
    texts += ["".join(random.choice("ab.[]0*'é") for _ in range(random.randint(1, 8))) for _ in range(600)]

    def ours(question):
        try:
            segments = parsed(question["path"])
        except PlumblineError as fault:
            return {"fault": str(fault).split(": ", 1)[1]}
        return {"value": {"segments": list(segments), "text": text_of(segments)}}

    compare(ask, [{"op": "parse", "path": each} for each in texts], ours)


@pytest.mark.parametrize(
    ("op", "ours"),
    [
        ("get", lambda q: {"value": value_at(q["object"], parsed(q["path"]))}),
        ("set", lambda q: {"value": with_value(q["object"], parsed(q["path"]), settled(q["value"]))}),
        ("delete", lambda q: {"value": without(q["object"], parsed(q["path"]))}),
        ("expand", lambda q: {"value": sorted(text_of(each) for each in expanded(q["object"], parsed(q["path"])))}),
    ],
)
def test_objects_are_read_and_changed_alike(ask, op, ours):
    random = chance()
    questions = []
    for _ in range(600):
        # A key that is called like a wildcard keeps upstream busy for ever.
        made = decode(encode(an_object(random)).replace(b'"*"', b'"d"'))
        questions.append({"op": op, "object": made, "path": path(random, wild=op == "expand"), "value": value(random)})
    questions.append({"op": op, "object": {"a": []}, "path": "a[1025]", "value": 1})
    compare(ask, questions, ours)


def test_values_are_merged_alike(ask):
    random = chance()

    def ours(question):
        given = question["options"]
        options = None
        if given is not None:
            options = MergeOptions(bool(given.get("keepMapValues")), bool(given.get("appendSlice")))
        target = Target(question["object"])
        segments = parsed(question["path"])
        try:
            existing = value_at(question["object"], segments) if given is not None else None
        except PlumblineError as fault:
            if fault.code != "field-not-found":
                raise
            existing = None
        return {"value": with_value(target.object, segments, settled(merged(existing, question["value"], options)))}

    # Nothing new for an empty list: upstream makes it null, which no server would take for a list.
    kinds = [None, {}, {"keepMapValues": True}, {"appendSlice": True}, {"keepMapValues": True, "appendSlice": True}]
    questions = [
        {
            "op": "merge",
            "object": {"a": value(random), "b": 1},
            "path": "a",
            "value": value(random),
            "options": random.choice(kinds),
        }
        for _ in range(1500)
    ]
    compare(ask, [each for each in questions if each["object"]["a"] != [] or each["value"] != []], ours)


VERBS = "vvddssqtfge%"


def test_formats_print_alike(ask):
    random = chance()
    questions = []
    for _ in range(1200):
        form = "".join(
            random.choice(
                [
                    "z-",
                    "%",
                    f"%{random.choice(['', '5', '-5', '05', '.2', '+', ' ', '[2]', '8.3'])}{random.choice(VERBS)}",
                ]
            )
            for _ in range(random.randint(1, 3))
        )
        questions.append(
            {"op": "print", "form": form, "values": [value(random, 1) for _ in range(random.randint(0, 3))]}
        )
    compare(ask, questions, lambda q: {"value": printed(q["form"], *q["values"])})


def transform(random):
    kind = random.choice(["math", "map", "match", "string", "string", "string", "convert", "convert", "odd"])
    word = random.choice
    configs = {
        "math": lambda: {"type": word(["Multiply", "ClampMin", "ClampMax", "Other"]), word(["multiply", "clampMin", "clampMax"]): word([2, -1, 0, 10**18])},
        "map": lambda: {word(["a", "hello", "1"]): value(random, 2) for _ in range(3)},
        "match": lambda: {
            "patterns": [
                {"type": word(["literal", "regexp", "regexp", "other"]), word(["literal", "regexp"]): word(["a", "hello", "^h.*o$", "(", "[0-9]+"]), "result": value(random, 1)}
                for _ in range(random.randint(0, 3))
            ],
            "fallbackTo": word(["Value", "Input"]),
            **({"fallbackValue": value(random, 1)} if random.random() < 0.5 else {}),
        },
        "string": lambda: {
            "type": word(["Format", "Convert", "Convert", "Convert", "TrimPrefix", "TrimSuffix", "Regexp", "Join", "Other"]),
            **({"fmt": word(["%s", "%d-x", "%v", "no"])} if random.random() < 0.9 else {}),
            **({"convert": word(["ToUpper", "ToLower", "ToJson", "ToBase64", "FromBase64", "ToSha1", "ToSha256", "ToSha512", "ToAdler32", "No"])} if random.random() < 0.9 else {}),
            **({"trim": word(["a", "hel", "1", ""])} if random.random() < 0.9 else {}),
            **({"regexp": {"match": word(["[a-z]+", "(h)(x)?", "(", "::([0-9]+):"]), "group": word([0, 1, 2, 5])}} if random.random() < 0.9 else {}),
            **({"join": {"separator": word([",", "", ", "])}} if random.random() < 0.9 else {}),
        },
        "convert": lambda: {"toType": word(["string", "int", "int64", "bool", "float64", "object", "array", "no"]), **({"format": word(["none", "quantity", "json", "no"])} if random.random() < 0.6 else {})},
        "odd": dict,
    }  # fmt: skip
    config = configs[kind]()
    return {"type": kind, kind: config} if kind != "odd" and random.random() < 0.97 else {"type": kind}


def test_values_are_transformed_alike(ask):
    random = chance()
    numbers = [
        "",
        "+5",
        "-0",
        "9223372036854775807",
        "9223372036854775808",
        "0x1p-2",
        "1_000",
        "Inf",
        "-inf",
        "nan",
        ".5",
        "5.",
        "1e400",
        "0.3",
        "1.5Gi",
        "100m",
        "1e3",
        "12Ei",
        "x",
        "3n",
        " 1",
    ]
    types = [("int64", "none"), ("float64", "none"), ("float64", "quantity"), ("bool", "none")]
    questions = [
        {
            "op": "transform",
            "transforms": [{"type": "convert", "convert": {"toType": to, "format": form}}],
            "value": text,
        }
        for text in numbers
        for to, form in types
    ]
    for _ in range(500):
        text = "".join(random.choice("aQZ=\n!") for _ in range(random.randint(0, 9)))
        decoding = {"type": "string", "string": {"type": "Convert", "convert": "FromBase64"}}
        questions.append({"op": "transform", "transforms": [decoding], "value": text})
    for _ in range(2500):
        transforms = [transform(random) for _ in range(random.choice([1, 1, 2]))]
        questions.append({"op": "transform", "transforms": transforms, "value": value(random, 2)})

    def ours(question):
        transforms = [_read(each, Transform) for each in question["transforms"]]
        made = Transforms(transforms, native=True)(question["value"])
        return {"value": decode(encode(settled(made))), "type": type_name(made)}

    compare(ask, [each for each in questions if not _about_json_syntax(each)], ours)


def _about_json_syntax(question):
    """Complaints about JSON that cannot be read are worded otherwise."""
    converts = [each.get("convert", {}) for each in question["transforms"]]
    return any(each.get("format") == "json" for each in converts) and question["value"] not in (
        '{"a": [1, null]}',
        "[1, 2.5]",
        "null",
    )


def _read(given, kind):
    """As an API server would hand it out: null is absent."""
    whole = read({"resources": [{"patches": [{"transforms": [given]} if kind is Transform else given]}]}, Resources)
    patch = whole.resources[0].patches[0]
    return patch.transforms[0] if kind is Transform else patch


def patch(random):
    kind = random.choice(sorted(each for each in ENDS if "Environment" not in each))
    made = {"type": kind}
    if kind.startswith("Combine"):
        if random.random() < 0.95:
            variables = [{"fromFieldPath": path(random)} for _ in range(random.randint(0, 2))]
            made["combine"] = {"strategy": random.choice(["string", "string", "no"]), "variables": variables}
            if random.random() < 0.9:
                made["combine"]["string"] = {"fmt": random.choice(["%s", "%s-%v", "%d"])}
    elif random.random() < 0.95:
        made["fromFieldPath"] = path(random)
    if random.random() < 0.7:
        made["toFieldPath"] = path(random, wild=random.random() < 0.4)
    if random.random() < 0.4:
        made["policy"] = {"fromFieldPath": random.choice(["Optional", "Required"])}
        if random.random() < 0.7:
            made["policy"]["mergeOptions"] = random.choice([{}, {"keepMapValues": True}, {"appendSlice": True}])
    if random.random() < 0.2:
        made["transforms"] = [{"type": "string", "string": {"type": "Format", "fmt": "%v!"}}]
    return made


def test_patches_do_alike(ask):
    random = chance()
    questions = []
    for _ in range(2500):
        ends = {each: decode(encode(an_object(random)).replace(b'"*"', b'"d"')) for each in ("composite", "composed")}
        questions.append({"op": "patch", "patch": patch(random), **ends})

    def ours(question):
        template = _read(question["patch"], PatchTemplate)
        made = Patch(template, ENDS[template.kind], native=True)
        ends = {each: question[each] for each in ("composite", "composed")}
        target = Target(ends[made.target])
        try:
            found = made.value(ends[made.source], floats=False)
        except PlumblineError as fault:
            if fault.code == "field-not-found" and not made.required:
                return {"value": ends}
            raise
        made.write(found, target)
        return {"value": ends | {made.target: target.object}}

    compare(ask, questions, ours)


def test_patch_sets_are_inlined_alike(ask):
    random = chance()
    questions = []
    for _ in range(100):
        sets = [
            {
                "name": name,
                "patches": [
                    {"fromFieldPath": "a", "type": random.choice(["FromCompositeFieldPath"] * 9 + ["PatchSet"])}
                ]
                * random.randint(0, 3),
            }
            for name in "ab"
        ]
        patches = [
            {"type": "PatchSet", "patchSetName": random.choice("aabbc")}
            if random.random() < 0.6
            else {"type": "FromCompositeFieldPath"}
            for _ in range(3)
        ]
        if random.random() < 0.1:
            patches.append({"type": "PatchSet"})
        questions.append(
            {"op": "inline", "patchSets": sets, "templates": [{"base": {"kind": "A"}, "patches": patches}]}
        )

    def ours(question):
        whole = read({"patchSets": question["patchSets"], "resources": question["templates"]}, Resources)
        sets = PatchSets(whole.patch_sets, native=True)
        return {"value": [len(sets.inlined(each.patches)) for each in whole.resources]}

    compare(ask, questions, ours)


def _template(question) -> ResourceTemplate:
    return read({"resources": [question["template"]]}, Resources).resources[0]


def test_connection_details_are_found_alike(ask):
    random = chance()
    questions = []
    for _ in range(300):
        details = []
        for _ in range(random.randint(1, 2)):
            given = {
                "name": random.choice(["n", "m", ""]),
                "type": random.choice(["FromValue", "FromFieldPath", "FromConnectionSecretKey", "No"]),
                "value": "v",
                "fromFieldPath": path(random),
                "fromConnectionSecretKey": random.choice(["user", "gone"]),
            }
            details.append({key: each for key, each in given.items() if random.random() < 0.6})
        questions.append(
            {
                "op": "connection",
                "composed": an_object(random),
                "connection": {"user": "root"},
                "template": {"base": {"kind": "A"}, "connectionDetails": details},
            }
        )

    def ours(question):
        known = {key: Plaintext(each) for key, each in question["connection"].items()}
        details = Details(_template(question).connection_details, native=True)
        found = details.of(Resource(question["composed"], known))
        return {"value": {key: each.reveal().decode() for key, each in found.items()}}

    compare(ask, questions, ours)


def test_readiness_is_told_alike(ask):
    random = chance()
    questions = []
    for _ in range(600):
        checks = []
        for _ in range(random.randint(0, 2)):
            given = {
                "fieldPath": path(random),
                "matchString": random.choice(["a", "hello", ""]),
                "matchInteger": random.choice([0, 1, 7]),
                "matchCondition": {
                    "type": random.choice(["Ready", "Synced"]),
                    "status": random.choice(["True", "Unknown"]),
                },
            }
            kinds = [
                "NonEmpty",
                "MatchString",
                "MatchInteger",
                "MatchTrue",
                "MatchFalse",
                "MatchCondition",
                "None",
                "No",
            ]
            checks.append(
                {"type": random.choice(kinds)} | {key: each for key, each in given.items() if random.random() < 0.8}
            )
        composed = an_object(random)
        if random.random() < 0.7:
            composed["status"] = {
                "conditions": [
                    {
                        "type": "Ready",
                        "status": random.choice(["True", "False"]),
                        "lastTransitionTime": None,
                        "reason": "",
                    }
                ]
            }
        questions.append(
            {"op": "ready", "composed": composed, "template": {"base": {"kind": "A"}, "readinessChecks": checks}}
        )
    compare(
        ask, questions, lambda q: {"value": Checks(_template(q).readiness_checks, native=True).passed(q["composed"])}
    )
