"""Kinds of Sealed Secrets and External Secrets held against upstream's own CRDs, field by field.

What differs is named here, and nothing else does. Upstream comes from its Go modules: `make peers` finds a Go, and the
modules come from wherever that gets its modules.
"""

import pytest
from tests.conformance.definitions import differences, named, schema_of, shipped, versions

from plumbline.base.documents import load_documents
from plumbline.kinds.crd import crd_manifest
from plumbline.kinds.externalsecrets import CLUSTER_EXTERNAL_SECRET, EXTERNAL_SECRETS_KINDS
from plumbline.kinds.externalsecrets.common import OLDER
from plumbline.kinds.sealedsecret import SEALED_SECRET

pytestmark = pytest.mark.conformance

EXTERNAL_SECRETS = "github.com/external-secrets/external-secrets@v1.3.2"
SEALED_SECRETS = "github.com/bitnami-labs/sealed-secrets@v0.40.0"
CRDS = {
    "SealedSecret": (SEALED_SECRET, SEALED_SECRETS, "helm/sealed-secrets/crds/bitnami.com_sealedsecrets.yaml"),
    **{
        kind.kind: (kind, EXTERNAL_SECRETS, f"config/crds/bases/{kind.group}_{kind.plural}.yaml")
        for kind in EXTERNAL_SECRETS_KINDS
    },
}
SPOKEN = {"aws", "fake", "kubernetes", "vault"}
"""Providers that are described. All others are kept as they come."""

NEWER = "of a newer upstream, whose objects are read too"
OF_STORES = {
    "spec required": "an object without one says nothing that could be done",
    "spec.refreshInterval": NEWER,
    "status.observedGeneration": "a status says what it speaks of",
}
EMPTY = {"spec required": "an object without one says nothing that could be done"}
WITHIN = "spec.externalSecretSpec"
UNRUN = "of a generator that is not run: kept as it comes"
KEYS = "keys that a Secret can have"
DIFFERENCES = {
    "ClusterExternalSecret": {
        **EMPTY,
        f"{WITHIN}.data[].remoteRef.nullBytePolicy": NEWER,
        f"{WITHIN}.dataFrom[].extract.nullBytePolicy": NEWER,
        f"{WITHIN}.dataFrom[].find.nullBytePolicy": NEWER,
        f"{WITHIN}.syncWindows": NEWER,
        f"{WITHIN}.target.creationPolicy enum": NEWER,
        f"{WITHIN}.target.template.templateFrom[].valuesDecodingStrategy": NEWER,
        "status.observedGeneration": "a status says what it speaks of",
    },
    "PushSecret": {
        **EMPTY,
        "spec.data[].metadata type": "it is an object, or it is refused",
        "spec.dataTo": NEWER,
        "spec.template.templateFrom[].valuesDecodingStrategy": NEWER,
        "status.observedGeneration": "a status says what it speaks of",
        "status.syncedPushSecrets additionalProperties": "what is in it is described in other words",
    },
    "Password": {**EMPTY, "spec.secretKeys": KEYS, "spec.secretKeys minItems": KEYS, "status": "it has none"},
    "UUID": {**EMPTY, "status": "it has none"},
    "SSHKey": {**EMPTY, "status": "it has none"},
    "Fake": {**EMPTY, "status": "it has none"},
    "ClusterGenerator": {
        **EMPTY,
        **{
            f"spec.generator.{name}Spec": UNRUN
            for name in (
                *(
                    "acrAccessToken",
                    "cloudsmithAccessToken",
                    "ecrAuthorizationToken",
                    "gcrAccessToken",
                    "grafana",
                    "mfa",
                ),
                *("githubAccessToken", "quayAccessToken", "stsSessionToken", "vaultDynamicSecret", "webhook"),
            )
        },
        "spec.generator.passwordSpec.secretKeys": KEYS,
        "spec.kind enum": "a kind that is not run is said by whoever names it",
        "status": "it has none",
    },
    "SealedSecret": {
        "spec.encryptedData additionalProperties": "a null is reported, where upstream's is dropped without a word",
        "spec.template.data additionalProperties": "a null takes a key out, where upstream's is dropped without a word",
    },
    "ExternalSecret": {
        "spec required": "an object without one says nothing that could be done",
        "spec.data[].remoteRef.nullBytePolicy": NEWER,
        "spec.dataFrom[].extract.nullBytePolicy": NEWER,
        "spec.dataFrom[].find.nullBytePolicy": NEWER,
        "spec.syncWindows": NEWER,
        "spec.target.creationPolicy enum": NEWER,
        "spec.target.template.templateFrom[].valuesDecodingStrategy": NEWER,
        "status.observedGeneration": "a status says what it speaks of",
    },
    "SecretStore": OF_STORES,
    "ClusterSecretStore": OF_STORES,
}
"""Where ours is another, and why. A difference in a part stands for all below it."""

MORE_IN_OLD_STORES = {
    "spec.provider.fake.validationResult",
    "spec.provider.vault.auth.cert.path",
    "spec.provider.vault.auth.gcp",
    "spec.provider.vault.checkAndSet",
}
MORE_IN_OLD = {
    **{kind.kind: set() for kind in EXTERNAL_SECRETS_KINDS},
    CLUSTER_EXTERNAL_SECRET.kind: {
        f"{WITHIN}.data[].sourceRef.generatorRef.kind enum",
        f"{WITHIN}.dataFrom[].rewrite[].merge",
        f"{WITHIN}.dataFrom[].sourceRef.generatorRef.kind enum",
        f"{WITHIN}.target.manifest",
        f"{WITHIN}.target.template.metadata.finalizers",
        f"{WITHIN}.target.template.templateFrom[].target enum",
    },
    "SealedSecret": set(),
    "ExternalSecret": {
        "spec.data[].sourceRef.generatorRef.kind enum",
        "spec.dataFrom[].rewrite[].merge",
        "spec.dataFrom[].sourceRef.generatorRef.kind enum",
        "spec.target.manifest",
        "spec.target.template.metadata.finalizers",
        "spec.target.template.templateFrom[].target enum",
        "status.conditions[].type enum",
    },
    "SecretStore": MORE_IN_OLD_STORES,
    "ClusterSecretStore": MORE_IN_OLD_STORES,
}
"""What v1beta1 does not know upstream: here it is the same kind as v1."""


@pytest.fixture(scope="module", params=CRDS)
def pair(request):
    kind, source, file = CRDS[request.param]
    (theirs,) = load_documents(shipped(source, file))
    return crd_manifest(kind)["spec"], theirs.value["spec"]


def found(ours, theirs):
    """Every difference with its version, without those in providers that are not described."""
    for name, version in versions(ours).items():
        for each in differences(schema_of(version), schema_of(versions(theirs)[name])):
            provider = each.removeprefix("spec.provider.").partition(".")[0] if "spec.provider." in each else ""
            if not provider or provider in SPOKEN:
                yield name, each


def known(kind, version):
    return set(DIFFERENCES[kind]) | (MORE_IN_OLD[kind] if version == "v1beta1" else set())


def test_names_scope_group_and_conversion_are_upstreams(pair):
    ours, theirs = pair
    for key in ("group", "scope", "names", "conversion"):
        assert ours.get(key) == theirs.get(key), key


def test_the_stored_version_is_upstreams(pair):
    ours, theirs = pair
    mine, other = ours["versions"][0], theirs["versions"][0]
    for key in (
        "name",
        "served",
        "storage",
        "deprecated",
        "additionalPrinterColumns",
        "subresources",
        "selectableFields",
    ):
        assert mine.get(key) == other.get(key), key


def test_an_older_version_that_upstream_no_longer_serves_is_served_with_a_warning(pair):
    ours, theirs = pair
    assert versions(ours).keys() == versions(theirs).keys()
    for mine in ours["versions"][1:]:
        other = versions(theirs)[mine["name"]]
        assert (other["served"], other["storage"], other["deprecated"]) == (False, False, True)
        assert (mine["served"], mine["storage"], mine["deprecated"]) == (True, False, True)
        assert mine["deprecationWarning"] == OLDER
        for key in ("additionalPrinterColumns", "subresources"):
            assert mine[key] == other[key], key


def test_fields_are_upstreams(pair):
    kind = pair[0]["names"]["kind"]
    assert [each for each in found(*pair) if not named(each[1], known(kind, each[0]))] == []


def test_no_difference_is_named_that_is_none(pair):
    kind, different = pair[0]["names"]["kind"], list(found(*pair))
    for each in DIFFERENCES[kind]:
        assert any(named(one, {each}) for _, one in different), each
    for each in MORE_IN_OLD[kind]:
        assert any(version == "v1beta1" and named(one, {each}) for version, one in different), each


def test_a_provider_that_is_described_is_upstreams(pair):
    ours, theirs = pair
    for name, version in versions(ours).items():
        spec = schema_of(version)["properties"]["spec"].get("properties", {})
        if "provider" in spec:
            upstream = schema_of(versions(theirs)[name])["properties"]["spec"]["properties"]["provider"]
            assert spec["provider"]["properties"].keys() == SPOKEN
            assert upstream["properties"].keys() > SPOKEN
            assert spec["provider"]["x-kubernetes-preserve-unknown-fields"]
