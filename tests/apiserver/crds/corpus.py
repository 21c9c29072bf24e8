"""CRDs and custom resources, right and wrong in as many ways as were thought of."""

from typing import Any

from plumbline.base.json import decode, encode

T = {"type": "string"}
I = {"type": "integer"}  # noqa: E741 - a letter for each type
O = {"type": "object"}  # noqa: E741 - same


def schema(**properties: Any) -> dict[str, Any]:
    return {"type": "object", "properties": properties}


def version(name: str = "v1", root: Any = None, **more: Any) -> dict[str, Any]:
    held = {"schema": {"openAPIV3Schema": root if root is not None else O}}
    return {"name": name, "served": True, "storage": name == "v1", **held, **more}


def crd(plural: str = "widgets", kind: str = "Widget", *, root: Any = None, versions: Any = None, **spec: Any) -> dict:
    group = spec.pop("group", "example.org")
    return {
        "apiVersion": "apiextensions.k8s.io/v1",
        "kind": "CustomResourceDefinition",
        "metadata": {"name": f"{plural}.{group}"},
        "spec": {
            "group": group,
            "names": {"plural": plural, "kind": kind},
            "scope": "Namespaced",
            "versions": [version(root=root)] if versions is None else versions,
            **spec,
        },
    }


def with_defaults(definition: dict) -> dict:
    """What the server fills in before it looks at a CRD."""
    made = decode(encode(definition))
    names = made["spec"]["names"]
    if names.get("kind"):
        names.setdefault("singular", names["kind"].lower())
        names.setdefault("listKind", f"{names['kind']}List")
    made["spec"].setdefault("conversion", {"strategy": "None"})
    service = made["spec"]["conversion"].get("webhook", {}).get("clientConfig", {}).get("service")
    if service is not None:
        service.setdefault("port", 443)
    stored = [each["name"] for each in made["spec"]["versions"] if each.get("storage")]
    made.setdefault("status", {"storedVersions": stored[:1]})
    return made


def rules(*written: Any) -> dict[str, Any]:
    return {"x-kubernetes-validations": [each if isinstance(each, dict) else {"rule": each} for each in written]}


def webhook(**config: Any) -> dict[str, Any]:
    reviews = config.pop("reviews", ["v1"])
    return {"strategy": "Webhook", "webhook": {"conversionReviewVersions": reviews, "clientConfig": config}}


PROBE = schema(
    spec=schema(
        i={**I, "minimum": 1, "maximum": 10},
        n={"type": "number", "multipleOf": 0.5, "exclusiveMaximum": True, "maximum": 10},
        big={"type": "number", "maximum": 5000000},
        s={**T, "minLength": 2, "maxLength": 4, "pattern": "^a"},
        e={**T, "enum": ["x", "y"]},
        ei={**I, "enum": [1, 2]},
        l={"type": "array", "minItems": 1, "maxItems": 2, "items": T},
        m={**O, "additionalProperties": I, "minProperties": 1, "maxProperties": 2},
        r={**schema(a=T, b=T), "required": ["a", "b"]},
        ios={"x-kubernetes-int-or-string": True},
        b={"type": "boolean"},
        nn={**T, "nullable": True},
        o={**schema(p=T, q=T), "oneOf": [{"required": ["p"]}, {"required": ["q"]}]},
        ao={
            **schema(p=T, q=T),
            "anyOf": [{"required": ["p"]}, {"properties": {"q": {"pattern": "z"}}, "required": ["q"]}],
        },
        al={**schema(p=T, q=T), "allOf": [{"required": ["p"]}, {"required": ["q"]}]},
        no={**T, "not": {"enum": ["bad"]}},
        dt={**T, "format": "date-time"},
        day={**T, "format": "date"},
        u={**T, "format": "uri"},
        i32={**I, "format": "int32"},
        f={"type": "number", "format": "float"},
        mail={**T, "format": "email"},
        host={**T, "format": "hostname"},
        v4={**T, "format": "ipv4"},
        v6={**T, "format": "ipv6"},
        net={**T, "format": "cidr"},
        mac={**T, "format": "mac"},
        id={**T, "format": "uuid"},
        id4={**T, "format": "uuid4"},
        by={**T, "format": "byte"},
        du={**T, "format": "duration"},
        isbn={**T, "format": "isbn"},
        card={**T, "format": "creditcard"},
        ssn={**T, "format": "ssn"},
        hex={**T, "format": "hexcolor"},
        rgb={**T, "format": "rgbcolor"},
        oid={**T, "format": "bsonobjectid"},
        short={**T, "format": "k8s-short-name"},
        long={**T, "format": "k8s-long-name"},
        odd={**T, "format": "nobody-knows"},
        set={"type": "array", "x-kubernetes-list-type": "set", "items": T},
        map={
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k"],
            "items": {**schema(k=T, v=T), "required": ["k"]},
        },
        map2={
            "type": "array",
            "x-kubernetes-list-type": "map",
            "x-kubernetes-list-map-keys": ["k", "p"],
            "items": {**schema(k=T, p={**I, "default": 1}), "required": ["k"]},
        },
        emb={**O, "x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        any={"x-kubernetes-preserve-unknown-fields": True},
        half={**schema(k=schema(a=T)), "x-kubernetes-preserve-unknown-fields": True},
        lists={"type": "array", "x-kubernetes-preserve-unknown-fields": True, "items": schema(a=T)},
        nested={
            "type": "array",
            "x-kubernetes-preserve-unknown-fields": True,
            "items": {"type": "array", "items": schema(a=T, l={"type": "array", "items": schema(b=T)})},
        },
        free={
            "type": "array",
            "x-kubernetes-preserve-unknown-fields": True,
            "items": {**O, "x-kubernetes-preserve-unknown-fields": True},
        },
        sets={**O, "additionalProperties": {"type": "array", "x-kubernetes-list-type": "set", "items": T}},
        listed={
            "type": "array",
            "items": schema(s={"type": "array", "x-kubernetes-list-type": "set", "items": T}),
        },
        closed={**O, "additionalProperties": False},
        open={**O, "additionalProperties": True},
        lat={**T, "pattern": r"^\p{Lu}(?i:abc)\b.*$"},
        d={
            **schema(
                a={**I, "default": 3}, b=schema(c={**T, "default": "x"}), e={**T, "nullable": True, "default": "n"}
            ),
            "default": {"b": {}},
        },
        dl={"type": "array", "items": {**schema(a={**I, "default": 7}), "default": {"a": 9}}},
        dm={**O, "additionalProperties": schema(a={**I, "default": 5})},
    )
)

PROBE_SPECS: tuple[Any, ...] = (
    {"i": "x"}, {"i": 0}, {"i": 11}, {"i": 1.5}, {"i": 2.0}, {"i": None}, {"i": 1e30}, {"i": -2.0}, {"i": True},
    {"i": 2.0000000001}, {"i": 2.00001}, {"n": 10}, {"n": 0.3}, {"n": "1"}, {"n": 3}, {"n": 2.5}, {"n": 1e300},
    {"big": 6000000}, {"big": 5000000.5}, {"s": "b"}, {"s": "bb"}, {"s": "abcde"}, {"s": 5}, {"s": "aé"}, {"e": "z"},
    {"e": 3}, {"e": 120}, {"ei": 3}, {"ei": 1.5}, {"ei": 1.0}, {"l": []}, {"l": ["a", "b", "c"]}, {"l": [1]},
    {"l": "x"}, {"l": [None]}, {"l": {"a": 1}}, {"m": {}}, {"m": {"a": 1, "b": 2, "c": 3}}, {"m": {"a": "x"}},
    {"m": []}, {"m": {"a": None}}, {"m": {"a": 1.5}}, {"r": {}}, {"r": {"a": 1, "b": None}}, {"ios": 1},
    {"ios": "a"}, {"ios": 1.5}, {"ios": True}, {"ios": None}, {"b": "true"}, {"nn": None}, {"o": {}},
    {"o": {"p": "1", "q": "2"}}, {"o": None}, {"o": {"p": 1}}, {"ao": {}}, {"ao": {"q": "a"}}, {"al": {}},
    {"al": {"p": ""}}, {"al": "x"}, {"no": "bad"}, {"no": 5}, {"dt": "x"}, {"dt": 5}, {"dt": []}, {"dt": {}},
    {"dt": True}, {"dt": 1.5}, {"dt": "2020-01-01T00:00:00Z"}, {"dt": "2020-01-01t00:00:00.5+02:00"},
    {"dt": "2020-13-01T00:00:00Z"}, {"dt": "2020-01-01T24:00:00Z"}, {"day": "2020-02-30"}, {"day": "2020-02-29"},
    {"u": "x"}, {"u": "http://a b/"}, {"u": "/path"}, {"u": "mailto:a@b"}, {"u": "http://[::1"}, {"u": "http://a:x/"},
    {"u": "http://a/%zz"}, {"u": None}, {"i32": 4294967296}, {"i32": "x"}, {"i32": 1.5}, {"i32": 2147483648},
    {"i32": -2147483648}, {"f": 1e39}, {"f": "x"}, {"f": 5}, {"mail": "a@b.c"}, {"mail": "Bob <a@b.c>"},
    {"mail": "a"}, {"mail": "a@"}, {"mail": "a b@c"}, {"host": "a.example.com"}, {"host": "-a"}, {"host": "a_b"},
    {"v4": "1.2.3.4"}, {"v4": "1.2.3.04"}, {"v4": "1.2.3"}, {"v4": "::1"}, {"v6": "::1"}, {"v6": "1.2.3.4"},
    {"v6": "::ffff:1.2.3.4"}, {"net": "10.0.0.0/8"}, {"net": "10.0.0.0/33"}, {"net": "10.0.0.0"},
    {"mac": "00:00:5e:00:53:01"}, {"mac": "0000.5e00.5301"}, {"mac": "00-00-5e-00-53"}, {"id": "x"},
    {"id": "123e4567-e89b-12d3-a456-426614174000"}, {"id4": "123e4567-e89b-12d3-a456-426614174000"}, {"by": "YWJj"},
    {"by": "@"}, {"by": ""}, {"du": "1h"}, {"du": "3 days"}, {"du": "x"}, {"isbn": "3836221195"},
    {"isbn": "978-4-87311-368-5"}, {"isbn": "1234567890"}, {"card": "4220855426222389"}, {"card": "1"},
    {"ssn": "123-45-6789"}, {"ssn": "123456789"}, {"hex": "#f00"}, {"hex": "#ff12FG"}, {"rgb": "rgb(0, 31, 255)"},
    {"rgb": "rgb(1,349,275)"}, {"oid": "507f1f77bcf86cd799439011"}, {"oid": "x"}, {"short": "a-b"}, {"short": "A"},
    {"long": "a.b"}, {"long": "a..b"}, {"odd": "anything"}, {"set": ["a", "a"]}, {"set": ["a", "b", "a", "a", "b"]},
    {"set": [1, 1]}, {"map": [{"k": "a"}, {"k": "a"}]}, {"map": [{}]}, {"map": [{"k": "a", "v": 1}, "x"]},
    {"map": [None]}, {"map2": [{"k": "a"}, {"k": "a", "p": 1}]}, {"map2": [{"k": "a"}, {"k": "a", "p": 2}]},
    {"emb": {}}, {"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": "A/b", "bogus": 1}}},
    {"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": "!"}}}},
    {"emb": {"apiVersion": "v1", "kind": "P od", "metadata": {"name": 3}}},
    {"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": {"a": 1}}}}, {"emb": {"apiVersion": 1, "kind": "x"}},
    {"emb": {"apiVersion": "a/b/c", "kind": ""}}, {"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": None}},
    {"emb": {"apiVersion": "v1", "kind": "Pod", "metadata": {"labels": None, "name": ""}}}, {"emb": None},
    {"emb": []}, {"emb": {"apiVersion": "v1", "kind": "Pod", "x": {"y": None}}}, {"any": {"x": [1, {"y": None}]}},
    {"any": None}, {"any": "x"}, {"any": [{"a": None}]}, {"half": {"z": {"q": 1}, "k": {"a": "", "b": 1}}},
    {"lists": [{"a": "x", "z": {"q": None}}, {"a": 1}]}, {"closed": {}}, {"closed": {"a": 1}},
    {"open": {"a": 1, "b": {"c": 1}, "d": [{"e": 1}]}}, {"lat": "ÉaBC d"}, {"lat": "éabc"}, {"lat": "Aabcd"},
    {"bogus": 1, "r": {"a": "", "b": "", "zz": 1}}, {"map": [{"k": "1", "z": {"deep": 1}}]}, "str", None, [], {},
    {"d": None}, {"d": {}}, {"d": {"a": None, "e": None}}, {"d": {"b": None}}, {"d": {"b": {"c": None}}},
    {"nested": [[{"a": "x", "z": 1, "l": [{"b": "y", "z": 2}]}, 1], {"z": 1}, 1]}, {"free": [{"a": {"b": 1}}, 3]},
    {"sets": {"x": ["a", "a"], "y": ["b"]}}, {"listed": [{"s": ["a"]}, {"s": ["b", "b"]}]}, {"closed": {"a": {"b": 1}}},
    {"dl": [{}, None, {"a": 1}]}, {"dm": {"x": {}, "y": None, "z": {"a": 1}}},
)  # fmt: skip

RATCHETED: tuple[tuple[Any, Any], ...] = (
    ({"s": "zz"}, {"s": "zz", "i": 1}),
    ({"s": "zz"}, {"s": "yy"}),
    ({"s": "zz", "i": 99}, {"s": "zz", "i": 98}),
    ({"l": ["a", "b", "c"]}, {"l": ["a", "b", "c"], "i": 1}),
    ({"l": ["a", "b", "c"]}, {"l": ["a", "b", "d"]}),
    ({"m": {"a": "x"}}, {"m": {"a": "x", "b": 1}}),
    ({"m": {"a": "x"}}, {"m": {"a": "y"}}),
    ({"map": [{"k": "a", "v": 1}]}, {"map": [{"k": "b"}, {"k": "a", "v": 1}]}),
    ({"map": [{"k": "a", "v": 1}]}, {"map": [{"k": "a", "v": 2}]}),
    ({"set": ["a", "a"]}, {"set": ["a", "a", "b"]}),
    ({"set": ["a", "b"]}, {"set": ["a", "a"]}),
    ({"o": {}}, {"o": {}, "i": 1}),
    ({"o": {}}, {"o": {"p": "", "q": ""}}),
    ({"r": {"a": "x"}}, {"r": {"a": "x"}, "i": 1}),
    ({"r": {"a": "x"}}, {"r": {"a": "y"}}),
    ({"e": "z", "i": 1}, {"e": "z", "i": 2}),
    ({"dt": "x"}, {"dt": "x", "nn": None}),
)
"""Old and new; the old one was stored when nothing was checked."""

RULED = {
    **rules({"rule": "self.metadata.name != 'bad'", "message": "no bad names"}, "self.kind == 'Ruled'"),
    **schema(
        spec={
            **rules(
                {"rule": "!has(self.size) || self.size < 5", "message": "too big"},
                {
                    "rule": "!has(self.f) || self.f",
                    "messageExpression": "'f is ' + (self.f ? 'on' : 'off')",
                    "reason": "FieldValueForbidden",
                    "fieldPath": ".f",
                },
                {"rule": "!has(self.g) || self.g > 0", "reason": "FieldValueRequired"},
                {"rule": "!has(self.h) || self.h > 0", "reason": "FieldValueDuplicate"},
                "!has(self.boom) || self.l[5] == 1",
                "!has(self.ios) || self.ios < 5",
                {"rule": "!has(self.m) || self.m.all(k, self.m[k] != '')", "message": "m"},
                {
                    "rule": "!has(self.imm) || !has(oldSelf.imm) || self.imm == oldSelf.imm",
                    "message": "imm is immutable",
                },
                "!has(self.__namespace__) || self.__namespace__ == 'x'",
                "!has(self.foo__dash__bar) || self.foo__dash__bar == 1",
                "!has(self.dt) || self.dt > timestamp('2020-01-01T00:00:00Z')",
                "!has(self.du) || self.du > duration('1m')",
                "!has(self.by) || self.by == b'abc'",
                "!has(self.num) || self.num > 1.5",
                "!has(self.set) || self.set == ['a', 'b']",
                "!has(self.lm) || self.lm.exists(x, x.k == 'a')",
                "!has(self.q) || quantity(self.q).isLessThan(quantity('1Gi'))",
                "!has(self.ip) || cidr('10.0.0.0/8').containsIP(self.ip)",
                "!has(self.url) || url(self.url).getHost() == 'example.com'",
                "!has(self.sv) || semver(self.sv).isLessThan(semver('2.0.0'))",
                "!has(self.name) || !format.dns1123Label().validate(self.name).hasValue()",
                "!has(self.re) || self.re.find('[0-9]+') == '12'",
                "!has(self.zero) || 1 / self.zero > 0",
                {"rule": "oldSelf.hasValue() || !has(self.late)", "optionalOldSelf": True, "message": "late"},
                {"rule": "!has(self.w) || self.w", "messageExpression": "[''][3]", "message": "fallback"},
            ),
            **schema(
                size=I,
                f={"type": "boolean"},
                w={"type": "boolean"},
                g=I,
                h=I,
                boom=I,
                zero=I,
                late=I,
                l={"type": "array", "maxItems": 10, "items": {**I, **rules("self < 10")}},
                ios={"x-kubernetes-int-or-string": True},
                m={**O, "maxProperties": 9, "additionalProperties": {**T, "maxLength": 9, **rules("self != 'v'")}},
                imm={**T, "maxLength": 9, **rules({"rule": "self == oldSelf", "message": "imm2"})},
                namespace={**T, "maxLength": 9},
                **{"foo-bar": I},
                dt={**T, "format": "date-time"},
                du={**T, "format": "duration"},
                by={**T, "format": "byte", "maxLength": 20},
                num={"type": "number"},
                set={"type": "array", "maxItems": 5, "x-kubernetes-list-type": "set", "items": {**T, "maxLength": 9}},
                lm={
                    "type": "array",
                    "maxItems": 5,
                    "x-kubernetes-list-type": "map",
                    "x-kubernetes-list-map-keys": ["k"],
                    "items": {
                        **schema(k={**T, "maxLength": 9}, v={**I, **rules("self >= oldSelf")}),
                        "required": ["k"],
                    },
                },
                q={**T, "maxLength": 9},
                ip={**T, "maxLength": 40},
                url={**T, "maxLength": 40},
                sv={**T, "maxLength": 20},
                name={**T, "maxLength": 20},
                re={**T, "maxLength": 20},
            ),
        }
    ),
}
RULED_SPECS: tuple[Any, ...] = (
    {}, {"size": 7}, {"size": "x"}, {"f": False}, {"g": 0}, {"h": 0}, {"boom": 1, "l": [1]}, {"boom": 1}, {"ios": 3},
    {"ios": "x"}, {"m": {"a": ""}}, {"m": {"a": "v", "b": ""}}, {"l": [1, 11]}, {"namespace": "y"}, {"foo-bar": 2},
    {"dt": "2019-01-01T00:00:00Z"}, {"dt": "2021-01-01T00:00:00+02:00"}, {"du": "1s"}, {"du": "2 minutes"},
    {"by": "YWJj"}, {"by": "YWJk"}, {"num": 1}, {"num": 2}, {"set": ["b", "a"]}, {"set": ["b"]}, {"lm": [{"k": "b"}]},
    {"q": "2Gi"}, {"q": "zz"}, {"ip": "10.1.1.1"}, {"ip": "11.1.1.1"}, {"ip": "x"}, {"url": "https://example.com/x"},
    {"url": "nope"}, {"sv": "1.0.0"}, {"sv": "2.1.0"}, {"sv": "x"}, {"name": "a-b"}, {"name": "A_b"}, {"re": "a12"},
    {"re": "a1"}, {"zero": 0}, {"late": 1}, {"imm": "a"}, {"w": False},
)  # fmt: skip
RULED_CHANGES: tuple[tuple[Any, Any], ...] = (
    ({"imm": "a"}, {"imm": "b"}),
    ({"imm": "a"}, {"imm": "a"}),
    ({}, {"late": 1}),
    ({"lm": [{"k": "a", "v": 2}]}, {"lm": [{"k": "a", "v": 1}]}),
    ({"lm": [{"k": "a", "v": 2}]}, {"lm": [{"k": "a", "v": 3}, {"k": "c", "v": 0}]}),
    ({"size": 1}, {"size": 9}),
)
