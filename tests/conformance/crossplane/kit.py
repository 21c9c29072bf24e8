"""How definitions, compositions and claims of these tests are written: as short as they can be. Data."""

GROUP = "test.example.org"
API = f"{GROUP}/v1alpha1"
ANYTHING = {"type": "object", "x-kubernetes-preserve-unknown-fields": True}
NONE = [{"type": "None"}]


def definition(kind, *, claim=None, versions=None, **spec):
    plural = f"{kind.lower()}s"
    names = {"kind": kind, "plural": plural, "singular": kind.lower(), "listKind": f"{kind}List"}
    claims = {"kind": claim, "plural": f"{claim.lower()}s"} if claim else None
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "CompositeResourceDefinition",
        "metadata": {"name": f"{plural}.{GROUP}"},
        "spec": {
            "group": GROUP,
            "names": names,
            **({"claimNames": claims} if claims else {}),
            "versions": versions or [version()],
            **spec,
        },
    }


def version(name="v1alpha1", **more):
    properties = {"parameters": ANYTHING}
    schema = {
        "type": "object",
        "properties": {
            "spec": {"type": "object", "properties": properties},
            "status": {"type": "object", "properties": {"seen": ANYTHING, "address": {"type": "string"}}},
        },
    }
    return {"name": name, "served": True, "referenceable": True, "schema": {"openAPIV3Schema": schema}, **more}


def composition(name, *resources, of="XThing", labels=None, **spec):
    return {
        "apiVersion": "apiextensions.crossplane.io/v1",
        "kind": "Composition",
        "metadata": {"name": name, **({"labels": labels} if labels else {})},
        "spec": {
            "compositeTypeRef": {"apiVersion": API, "kind": of},
            "mode": "Resources",
            "resources": list(resources),
            **spec,
        },
    }


def claim(name, kind="Thing", parameters=None, metadata=None, **spec):
    return {
        "apiVersion": API,
        "kind": kind,
        "metadata": {"name": name, "namespace": "shop", **(metadata or {})},
        "spec": {"parameters": parameters or {}, **spec},
    }


def composite(name, kind="XThing", parameters=None, metadata=None, **spec):
    return {
        "apiVersion": API,
        "kind": kind,
        "metadata": {"name": name, **(metadata or {})},
        "spec": {"parameters": parameters or {}, **spec},
    }


def resource(name, base, *patches, **more):
    """A template of something that is ready when it is there, unless *more* says otherwise."""
    named = {"name": name} if name else {}
    return {**named, "base": base, "patches": list(patches), "readinessChecks": NONE, **more}


def gadget(**spec):
    """Something of a kind that nobody provisions: what its composition says of it is all there is."""
    return {"apiVersion": API, "kind": "Gadget", "spec": spec}


def hook(**more):
    """Something of the server's own kinds, with a list by names, and defaults in it. It concerns nobody."""
    rule = {
        "apiGroups": ["nobody.example.org"],
        "apiVersions": ["*"],
        "operations": ["CREATE"],
        "resources": ["nothing"],
    }
    webhook = {
        "name": "one.example.org",
        "admissionReviewVersions": ["v1"],
        "sideEffects": "None",
        "clientConfig": {"url": "https://127.0.0.1:1/"},
        "rules": [rule],
        **more,
    }
    return {
        "apiVersion": "admissionregistration.k8s.io/v1",
        "kind": "ValidatingWebhookConfiguration",
        "webhooks": [webhook],
    }


GADGETS = {
    "apiVersion": "apiextensions.k8s.io/v1",
    "kind": "CustomResourceDefinition",
    "metadata": {"name": f"gadgets.{GROUP}"},
    "spec": {
        "group": GROUP,
        "names": {"kind": "Gadget", "plural": "gadgets"},
        "scope": "Cluster",
        "versions": [
            {
                "name": "v1alpha1",
                "served": True,
                "storage": True,
                "schema": {
                    "openAPIV3Schema": {
                        "type": "object",
                        "properties": {
                            "spec": {
                                **ANYTHING,
                                "properties": {
                                    "count": {"type": "integer", "maximum": 100},
                                    "size": {"type": "string"},
                                },
                            },
                            "status": ANYTHING,
                        },
                    }
                },
            }
        ],
    },
}


def into(source, target, *transforms, **more):
    return _patch("FromCompositeFieldPath", source, target, transforms, more)


def back(source, target, *transforms, **more):
    return _patch("ToCompositeFieldPath", source, target, transforms, more)


def combined(direction, target, fmt, *sources, **more):
    combine = {"variables": [{"fromFieldPath": each} for each in sources], "strategy": "string", "string": {"fmt": fmt}}
    return {"type": f"Combine{direction}Composite", "combine": combine, "toFieldPath": target, **more}


def _patch(kind, source, target, transforms, more):
    patch = {"type": kind, "fromFieldPath": source, **({"toFieldPath": target} if target else {}), **more}
    return {**patch, "transforms": list(transforms)} if transforms else patch


def required(**options):
    return {"policy": {"fromFieldPath": "Required", **options}}
