"""CRDs that the server refuses, and a few that it takes."""

from typing import Any

from .corpus import I, O, T, crd, rules, schema, version, webhook


def _named(**names: Any) -> dict[str, Any]:
    made = crd()
    made["spec"]["names"].update(names)
    return made


def _without(*path: str) -> dict[str, Any]:
    made = crd()
    held = made
    for name in path[:-1]:
        held = held[name]
    del held[path[-1]]
    return made


def _misnamed() -> dict[str, Any]:
    made = crd()
    made["metadata"]["name"] = "x.example.org"
    return made


def _scaled(**scale: str) -> dict[str, Any]:
    return crd(versions=[version(subresources={"scale": scale})])


def _selected(*paths: str) -> dict[str, Any]:
    root = schema(spec=schema(a=T, b={"type": "boolean"}, o=O, n={"type": "number"}))
    return crd(versions=[version(root=root, selectableFields=[{"jsonPath": path} for path in paths])])


def _ruled(*written: Any, **properties: Any) -> dict[str, Any]:
    return crd(root=schema(spec={**schema(a={**T, "maxLength": 9}, **properties), **rules(*written)}))


_FULL = version(
    root={
        **schema(
            spec={
                **schema(
                    a={**I, "minimum": 1, "default": 3, "enum": [1, 3]},
                    b={**T, "pattern": "a", "nullable": True},
                    m={**O, "additionalProperties": T},
                    l={"type": "array", "items": T, "x-kubernetes-list-type": "set"},
                ),
                **rules({"rule": "true", "reason": "FieldValueInvalid"}),
            }
        ),
        "x-kubernetes-preserve-unknown-fields": True,
    },
    subresources={
        "status": {},
        "scale": {"specReplicasPath": ".spec.a", "statusReplicasPath": ".status.b", "labelSelectorPath": ".status.c"},
    },
    additionalPrinterColumns=[
        {"name": "a", "type": "string", "jsonPath": ".spec.b", "priority": 1, "description": "d"}
    ],
    deprecated=True,
    deprecationWarning="w",
    selectableFields=[{"jsonPath": ".spec.b"}],
    storage=False,
)

CRDS: dict[str, dict[str, Any]] = {
    "a plain one": crd(),
    "two versions alike": crd(versions=[version(), version("v2")]),
    "no storage version": crd(versions=[version(storage=False)]),
    "a version twice": crd(versions=[version(), _FULL]),
    "no versions": crd(versions=[]),
    "names that are none": crd(plural="Widgets", kind="wid get"),
    "another name than its own": _misnamed(),
    "no schema": crd(versions=[{"name": "v1", "served": True, "storage": True}]),
    "one version without schema": crd(versions=[version(), {"name": "v2", "served": True, "storage": False}]),
    "a group without dot": crd(group="nodot"),
    "a group that is no domain": crd(group="A_b.c"),
    "a protected group": crd(group="foo.k8s.io"),
    "no names": {**crd(), "spec": {**crd()["spec"], "names": {}}},
    "a scope that is none": crd(scope="Foo"),
    "no scope": _without("spec", "scope"),
    "short names and categories": _named(shortNames=["A", "b"], categories=["All", "x"], listKind="Widget"),
    "bad version name": crd(versions=[version(name="V1", storage=True)]),
    "columns": crd(
        versions=[
            version(
                additionalPrinterColumns=[
                    {"name": "", "type": "foo", "jsonPath": "x", "format": "z"},
                    {"name": "a", "type": "", "jsonPath": ""},
                ]
            )
        ]
    ),
    "scale in wrong places": _scaled(specReplicasPath=".x", statusReplicasPath="y", labelSelectorPath=".z"),
    "scale without a place": _scaled(specReplicasPath="", statusReplicasPath=".status.y"),
    "deprecation of what is not deprecated": crd(versions=[version(deprecationWarning="x")]),
    "an empty deprecation": crd(versions=[version(deprecated=True, deprecationWarning="")]),
    "a broken deprecation": crd(versions=[version(deprecated=True, deprecationWarning="a\nb"), version("v2")]),
    "a long deprecation": crd(versions=[version(deprecated=True, deprecationWarning="é" * 200)]),
    "selectable fields": _selected(
        ".spec.a", ".spec.a", ".spec.o", ".spec.z", "", ".metadata.name", "spec", ".spec['a']"
    ),
    "fields to select by": _selected(".spec.a", ".spec.b"),
    "metadata with labels": crd(
        root=schema(metadata=schema(labels=O), kind={"type": "integer"}, apiVersion={**T, "default": "x"})
    ),
    "metadata with names": crd(root=schema(metadata=schema(name={**T, "maxLength": 5}))),
    "free keys at the root": crd(root={**O, "additionalProperties": T, "nullable": True}),
    "unsupported keywords": crd(
        root=schema(
            a={**T, "$ref": "#/x"},
            b={"type": "array", "items": [T]},
            c={**O, "patternProperties": {"a": {}}},
            d={**O, "dependencies": {"a": ["b"]}},
            e={**O, "definitions": {"a": {}}},
            f={"type": "array", "items": T, "additionalItems": False},
            g={**T, "id": "x"},
            h={"type": "null"},
            i={"type": "foo"},
        )
    ),
    "unique items": crd(root=schema(a={"type": "array", "uniqueItems": True, "items": T})),
    "properties and free keys": crd(root=schema(b={**schema(x=T), "additionalProperties": T})),
    "topologies": crd(
        root=schema(
            a={**T, "x-kubernetes-list-type": "set"},
            b={"x-kubernetes-map-type": "atomic"},
            c={**O, "x-kubernetes-map-type": "foo"},
            d={"type": "array", "items": O, "x-kubernetes-list-type": "set"},
            e={"type": "array", "items": T, "x-kubernetes-list-type": "foo"},
            f={"type": "array", "items": T, "x-kubernetes-list-map-keys": ["a"]},
            g={"type": "array", "items": T, "x-kubernetes-list-type": "map"},
            j={**O, "x-kubernetes-preserve-unknown-fields": False},
        )
    ),
    "keys of maps": crd(
        root=schema(
            a={
                "type": "array",
                "x-kubernetes-list-type": "map",
                "x-kubernetes-list-map-keys": ["k", "z", "o", "k"],
                "items": {**schema(k={**T, "nullable": True}, o=O), "nullable": True},
            }
        )
    ),
    "extensions": crd(
        root=schema(
            h={**O, "x-kubernetes-embedded-resource": True},
            i={**T, "x-kubernetes-embedded-resource": True},
            k={"x-kubernetes-int-or-string": True, "x-kubernetes-preserve-unknown-fields": True},
            l={"x-kubernetes-embedded-resource": True, "x-kubernetes-preserve-unknown-fields": True},
        )
    ),
    "int or string": crd(root=schema(a={"x-kubernetes-int-or-string": True, "anyOf": [I, T]})),
    "nested": crd(
        root=schema(
            a={
                **schema(x=T),
                "oneOf": [
                    {"properties": {"y": {"pattern": "a"}, "metadata": {}}},
                    {
                        **T,
                        "title": "t",
                        "description": "d",
                        "nullable": True,
                        "x-kubernetes-preserve-unknown-fields": True,
                        "x-kubernetes-list-type": "set",
                        "additionalProperties": T,
                        **rules("true"),
                    },
                ],
                "not": {"items": {"pattern": "("}},
            }
        )
    ),
    "not structural": crd(
        root=schema(
            spec={"properties": {"a": {**T, "default": 3}, "b": {"anyOf": [{**T, "default": 1}]}}},
            c={"type": "array"},
        )
    ),
    "wrong roots": crd(versions=[version(root=T), version("v2", root=schema(a={}))]),
    "the same wrong root": crd(versions=[version(root=T), version("v2", root=T)]),
    "a root that status loses": crd(
        versions=[version(root={**schema(a=T), "anyOf": [{"required": ["a"]}]}, subresources={"status": {}})]
    ),
    "wrong defaults": crd(root=schema(spec=schema(a={**I, "default": "x"}, b={**O, "default": {"z": 1}}))),
    "defaults out of bounds": crd(
        root=schema(
            spec={
                **schema(
                    a={**I, "default": 1, "minimum": 5},
                    l={"type": "array", "items": schema(p={**T, "default": 5})},
                ),
                "default": {},
            }
        )
    ),
    "a default that a rule refuses": crd(root=schema(spec=schema(a={**I, "default": 1, **rules("self > 1")}))),
    "an embedded default": crd(
        root=schema(
            spec=schema(
                e={
                    **O,
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-preserve-unknown-fields": True,
                    "default": {"kind": "P od"},
                }
            )
        )
    ),
    "preserving at the top": crd(preserveUnknownFields=True),
    "a pattern that is none": crd(root=schema(a={**T, "pattern": "(a"})),
    "conversion without webhook": crd(conversion={"strategy": "Webhook"}),
    "conversion by http": crd(conversion=webhook(url="http://x", caBundle="AAAA", reviews=["v9"])),
    "webhook without strategy": crd(conversion={"strategy": "None", "webhook": {"conversionReviewVersions": ["v1"]}}),
    "strategy that is none": crd(conversion={"strategy": "Foo"}),
    "both url and service": crd(
        conversion=webhook(url="x", service={"name": "", "namespace": ""}, reviews=["v1", "v1", "V!"])
    ),
    "a wrong service": crd(conversion=webhook(service={"name": "", "namespace": "n", "path": "x//y", "port": 70000})),
    "a wrong url": crd(conversion=webhook(url="https://u:p@h/x?y=1#z")),
    "a rule about a field that is not there": _ruled("self.foo == 1"),
    "a rule that says no bool": _ruled("self.a"),
    "a rule with a wrong path": _ruled({"rule": "true", "fieldPath": ".x"}),
    "a rule with a wrong message": _ruled({"rule": "true", "messageExpression": "1", "optionalOldSelf": True}),
    "rules with wrong forms": _ruled(
        " ",
        "a\nb",
        {"rule": "true", "message": " "},
        {"rule": "true", "message": "a\nb"},
        {"rule": "true", "reason": "Foo"},
        {"rule": "true", "messageExpression": " "},
        {"rule": "true", "fieldPath": " "},
    ),
    "a rule with wrong types": _ruled("self.a + 1 == 2 && size(self.a) == 'x'", "self.a.foo()", "nobody == 1"),
    "a rule that cannot be read": _ruled("self.a ==", "self..a", "(self.a"),
    "old values that do not correspond": crd(
        root=schema(spec={"type": "array", "maxItems": 3, "items": {**T, "maxLength": 3, **rules("self == oldSelf")}})
    ),
    "an expensive rule": crd(
        root=schema(a={"type": "array", "items": {"type": "array", "items": {**T, **rules("self.contains('a')")}}})
    ),
    "a quadratic rule": crd(root=schema(a={"type": "array", "items": T, **rules("self.all(x, self.all(y, x == y))")})),
    "many rules": crd(
        root=schema(
            **{
                f"f{index}": {
                    "type": "array",
                    "maxItems": 600 - index,
                    "items": {**T, "maxLength": 80},
                    **rules("self.all(x, self.exists_one(y, x == y))"),
                }
                for index in range(9)
            }
        )
    ),
    "more about embedded resources": crd(
        root=schema(
            a={
                **O,
                "x-kubernetes-embedded-resource": True,
                "additionalProperties": T,
                "x-kubernetes-preserve-unknown-fields": True,
            },
            b={
                **schema(metadata=T, kind=I, spec=O),
                "x-kubernetes-embedded-resource": True,
            },
            metadata={**schema(name={**O, "x-kubernetes-embedded-resource": True})},
        )
    ),
    "metadata of another type": crd(root=schema(metadata=T)),
    "defaults in metadata": crd(
        root=schema(
            spec=schema(
                e={
                    **schema(
                        apiVersion=T,
                        kind=T,
                        metadata=schema(labels={**O, "additionalProperties": {**T, "default": "a"}}),
                    ),
                    "x-kubernetes-embedded-resource": True,
                }
            )
        )
    ),
    "an embedded default that cannot be read": crd(
        root=schema(
            spec=schema(
                e={
                    **O,
                    "x-kubernetes-embedded-resource": True,
                    "x-kubernetes-preserve-unknown-fields": True,
                    "default": {"apiVersion": "v1", "kind": "Pod", "metadata": {"name": 5}},
                }
            )
        )
    ),
    "what is only said inside": crd(
        root=schema(
            a={
                **schema(p=T),
                "allOf": [{"properties": {"q": {"pattern": "a"}}}, {"items": {"pattern": "a"}}],
                "not": {"properties": {"r": {"maxLength": 3}}},
                "anyOf": [{"allOf": [{"properties": {"p": {"properties": {"z": {}}}}}]}],
            },
            l={"type": "array", "items": T, "anyOf": [{"items": {"minLength": 1}}, {"items": {"items": {}}}]},
        )
    ),
    "what only the root says inside": crd(
        root={
            **schema(spec={**schema(p=T), "nullable": True}),
            "allOf": [{"properties": {"q": {"pattern": "a"}}}, {"items": {"pattern": "a"}}],
            "not": {"properties": {"spec": {"properties": {"p": {"maxLength": 3}, "r": {"maxLength": 3}}}}},
            "anyOf": [{"allOf": [{"properties": {"spec": {"properties": {"p": {"items": {"minLength": 1}}}}}}]}],
        }
    ),
    "a map of what": crd(
        root=schema(
            a={"type": "array", "x-kubernetes-list-type": "map", "x-kubernetes-list-map-keys": ["k"]},
            b={"type": "array", "x-kubernetes-list-type": "set", "items": {"type": "array", "items": T}},
            c={
                "type": "array",
                "x-kubernetes-list-type": "set",
                "items": {"type": "array", "items": T, "x-kubernetes-list-type": "set"},
            },
            d={"type": "array", "items": T, "x-kubernetes-list-type": "set", "x-kubernetes-list-map-keys": ["k"]},
        )
    ),
    "int or string with more": crd(
        root=schema(
            a={
                "x-kubernetes-int-or-string": True,
                "allOf": [{"anyOf": [{"type": "integer"}, {"type": "string"}]}, {"pattern": "a"}],
            },
            b={"x-kubernetes-int-or-string": True, "anyOf": [{"type": "string"}, {"type": "integer"}]},
        )
    ),
    "a root of another type with a status": crd(versions=[version(root=T, subresources={"status": {}})]),
    "conversion without strategy": crd(conversion={"webhook": {"conversionReviewVersions": ["v1"]}}),
    "a webhook that is not asked": crd(
        conversion={"strategy": "None", "webhook": {"clientConfig": {"url": "https://x.example.org"}}}
    ),
    "no url": crd(conversion=webhook(url="https://")),
    "a url that cannot be read": crd(conversion=webhook(url="https://a b")),
    "a service without name": crd(conversion=webhook(service={"name": "n", "namespace": "", "path": "//"})),
    "a service with a path": crd(conversion=webhook(service={"name": "n", "namespace": "n", "path": "/a/B_/"})),
    "a service at its root": crd(conversion=webhook(service={"name": "n", "namespace": "n", "path": "/"})),
    "a path with line breaks": _ruled({"rule": "true", "fieldPath": ".a\n"}),
    "rules about every type": crd(
        root=schema(
            spec={
                **schema(
                    by={**T, "format": "byte"},
                    en={**T, "enum": ["abc", "de"]},
                    ios={"x-kubernetes-int-or-string": True, "maxLength": 9},
                    raw={"x-kubernetes-preserve-unknown-fields": True},
                    raws={"type": "array", "items": {"x-kubernetes-preserve-unknown-fields": True}},
                    rawm={**O, "additionalProperties": {"x-kubernetes-preserve-unknown-fields": True}},
                    need={**schema(name=T, many=I), "required": ["name"]},
                    needs={"type": "array", "items": {**schema(name=T, many=I), "required": ["name"]}},
                ),
                **rules(
                    "self.by.size() > 1",
                    "self.en.contains('a')",
                    "self.ios == 5",
                    "self.raw == 5",
                    "self.raws.size() > 1",
                    "self.rawm.size() > 1",
                    "self.needs.all(x, x.name.contains('a'))",
                    {"rule": "self.by.size() > 2", "messageExpression": "self.needs.map(x, x.name).join(',')"},
                ),
            }
        )
    ),
    "rules about what cannot be seen": crd(
        root=schema(
            spec=schema(
                raw={"x-kubernetes-preserve-unknown-fields": True, **rules("self == 5")},
                raws={
                    "type": "array",
                    "items": {"x-kubernetes-preserve-unknown-fields": True},
                    **rules("self.size() > 1"),
                },
            )
        )
    ),
}
