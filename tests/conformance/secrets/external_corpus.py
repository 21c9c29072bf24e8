"""ExternalSecrets of many shapes, over a fake store: what the real operator and we make of each has to be the same."""

HOME = "shop"
STORE = {
    "apiVersion": "external-secrets.io/v1",
    "kind": "SecretStore",
    "metadata": {"name": "fake", "namespace": HOME},
    "spec": {
        "provider": {
            "fake": {
                "data": [
                    {
                        "key": "db",
                        "value": '{"user":"ann","password":"s3cret","port":5432,"on":true,"nested":{"a":[1,2]}}',
                    },
                    {"key": "other", "value": '{"user":"bob","extra":"yes"}'},
                    {"key": "plain", "value": "just text"},
                    {"key": "encoded", "value": '{"b":"aGVsbG8=","t":"plain!"}'},
                    {"key": "odd", "value": '{"a/b":"1","c d":"2","ü":"3"}'},
                    {"key": "app/one", "value": "first"},
                    {"key": "app/two", "value": "second"},
                    {"key": "versioned", "value": "old", "version": "v1"},
                    {"key": "versioned", "value": "new", "version": "v2"},
                ]
            }
        }
    },
}
EXTRACT = {"dataFrom": [{"extract": {"key": "db"}}]}


def item(secret_key, key, **ref):
    return {"secretKey": secret_key, "remoteRef": {"key": key, **ref}}


def templated(data=None, **template):
    return {"target": {"template": {**({"data": data} if data else {}), **template}}}


BEFORE = {
    "merged": {"data": {"mine": "bWluZQ=="}},
    "taken": {"data": {"mine": "bWluZQ=="}, "metadata": {"labels": {"a": "b"}}},
    "overlaid": {"data": {"user": "b2xk", "mine": "bWluZQ=="}},
}
"""Secrets that are there already, by name."""

CASES = {
    "extract": EXTRACT,
    "items": {"data": [item("u", "db", property="user"), item("p", "db", property="port"), item("all", "db")]},
    "nested": {
        "data": [
            item("n", "db", property="nested.a.1"),
            item("o", "db", property="on"),
            item("l", "db", property="nested.a"),
        ]
    },
    "plain": {"data": [item("t", "plain")]},
    "versions": {"data": [item("old", "versioned", version="v1"), item("new", "versioned", version="v2")]},
    "later-wins": {
        "dataFrom": [{"extract": {"key": "db"}}, {"extract": {"key": "other"}}],
        "data": [item("extra", "plain")],
    },
    "find": {"dataFrom": [{"find": {"name": {"regexp": "^app/"}}}]},
    "find-unicode": {"dataFrom": [{"find": {"name": {"regexp": "^app/"}, "conversionStrategy": "Unicode"}}]},
    "find-nothing": {"dataFrom": [{"find": {"name": {"regexp": "^nothing"}}}]},
    "odd-keys": {"dataFrom": [{"extract": {"key": "odd"}}]},
    "odd-unicode": {"dataFrom": [{"extract": {"key": "odd", "conversionStrategy": "Unicode"}}]},
    "base64": {"data": [item("b", "encoded", property="b", decodingStrategy="Base64")]},
    "base64-auto": {"dataFrom": [{"extract": {"key": "encoded", "decodingStrategy": "Auto"}}]},
    "base64-wrong": {"data": [item("t", "encoded", property="t", decodingStrategy="Base64")]},
    "regexp": {
        "dataFrom": [{"extract": {"key": "other"}, "rewrite": [{"regexp": {"source": "^(.)(.*)$", "target": "$2_$1"}}]}]
    },
    "transform": {
        "dataFrom": [{"extract": {"key": "other"}, "rewrite": [{"transform": {"template": "{{ .value | upper }}_X"}}]}]
    },
    "merge-json": {
        "dataFrom": [
            {"find": {"name": {"regexp": "^other$"}}, "rewrite": [{"merge": {"strategy": "JSON", "into": "all"}}]}
        ]
    },
    "template": {**EXTRACT, **templated({"url": "db://{{ .user }}:{{ .password }}@host:{{ .port }}"})},
    "template-merge": {**EXTRACT, **templated({"url": "{{ .user }}"}, mergePolicy="Merge")},
    "template-metadata": {
        **EXTRACT,
        **templated(
            metadata={"labels": {"l": "{{ .user }}"}, "annotations": {"n": "{{ .port }}"}}, type="example.org/x"
        ),
    },
    "template-literal": {**EXTRACT, **templated(templateFrom=[{"literal": "a: {{ .user }}\nb: {{ .port }}"}])},
    "template-labels": {**EXTRACT, **templated(templateFrom=[{"literal": "who: {{ .user }}", "target": "Labels"}])},
    "template-map": {
        **EXTRACT,
        **templated(templateFrom=[{"configMap": {"name": "templates", "items": [{"key": "conf"}]}}]),
    },
    "template-map-keys": {
        **EXTRACT,
        **templated(
            templateFrom=[{"configMap": {"name": "templates", "items": [{"key": "kv", "templateAs": "KeysAndValues"}]}}]
        ),
    },
    "template-absent": {
        **EXTRACT,
        **templated(templateFrom=[{"configMap": {"name": "nowhere", "items": [{"key": "x"}]}}]),
    },
    "template-broken": {**EXTRACT, **templated({"x": "{{ .user"})},
    "template-missing": {**EXTRACT, **templated({"x": "{{ .absent }}"})},
    "sprig": {
        **EXTRACT,
        **templated(
            {
                "derived": '{{ derivePassword 1 "long" .password .user "example.com" }}',
                "semver": '{{ semverCompare "^1.2" "1.3.0" }} {{ (semver "v1.2.3").Minor }}',
                "yaml": '{{ dict "a" .user | toYaml }}',
                "hash": "{{ .password | sha256sum }} {{ .user | b64enc | b32enc }}",
                "aes": '{{ encryptAES "k" .user | decryptAES "k" }}',
            }
        ),
    },
    "named": {**EXTRACT, "target": {"name": "by-another-name"}},
    "orphan": {**EXTRACT, "target": {"creationPolicy": "Orphan"}},
    "none": {**EXTRACT, "target": {"creationPolicy": "None"}},
    "merged": {**EXTRACT, "target": {"creationPolicy": "Merge"}},
    "merge-absent": {**EXTRACT, "target": {"creationPolicy": "Merge"}},
    "overlaid": {**EXTRACT, "target": {"creationPolicy": "Merge"}},
    "taken": EXTRACT,
    "immutable": {**EXTRACT, "target": {"immutable": True}},
    "absent": {"data": [item("x", "nowhere")]},
    "absent-property": {"data": [item("x", "db", property="nowhere")]},
    "absent-deleted": {"data": [item("x", "nowhere")], "target": {"deletionPolicy": "Delete"}},
    "absent-merged": {
        "data": [item("x", "nowhere"), item("u", "db", property="user")],
        "target": {"deletionPolicy": "Merge"},
    },
    "no-store": {**EXTRACT, "secretStoreRef": {"name": "nowhere"}},
    "not-json": {"dataFrom": [{"extract": {"key": "plain"}}]},
    "generated": {"dataFrom": [{"sourceRef": {"generatorRef": {"kind": "Fake", "name": "fixed"}}}]},
    "generated-absent": {"dataFrom": [{"sourceRef": {"generatorRef": {"kind": "Fake", "name": "nowhere"}}}]},
    "generated-wide": {"dataFrom": [{"sourceRef": {"generatorRef": {"kind": "ClusterGenerator", "name": "wide"}}}]},
    "once": {**EXTRACT, "refreshPolicy": "CreatedOnce"},
}

METADATA = {"labels": {"team": "shop"}, "annotations": {"note": "mine"}}
"""Of every ExternalSecret: what of it the Secret inherits is part of the comparison."""


def externals():
    for name, spec in CASES.items():
        yield {
            "apiVersion": "external-secrets.io/v1",
            "kind": "ExternalSecret",
            "metadata": {"name": name, "namespace": HOME, **METADATA},
            "spec": {"secretStoreRef": {"name": "fake"}, "refreshInterval": "1h", **spec},
        }
