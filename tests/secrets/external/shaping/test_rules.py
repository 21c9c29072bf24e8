"""What an ExternalSecret must not say."""

import pytest

from plumbline.kinds.externalsecrets.externalsecret import (
    ExternalSecretItem,
    ExternalSecretItems,
    ExternalSecretSpec,
    ExternalSecretTarget,
    ExternalSecretTemplate,
    Find,
    GeneratorRef,
    RemoteRef,
    SecretStoreRef,
    SourceRef,
    TargetManifest,
    TemplateFrom,
    TemplateMetadata,
)
from plumbline.secrets.external.shaping.rules import problems

ITEM = ExternalSecretItem(secret_key="k", remote_ref=RemoteRef(key="r"))
GENERATOR = SourceRef(generator_ref=GeneratorRef(kind="Password", name="p"))
TOKEN = "kubernetes.io/service-account-token"
NAMED = TemplateMetadata(annotations={"kubernetes.io/service-account.name": "admin"})


def _spec(data=(ITEM,), data_from=(), **target):
    return ExternalSecretSpec(data=tuple(data), data_from=tuple(data_from), target=ExternalSecretTarget(**target))


def _template(**fields):
    return ExternalSecretTemplate(**fields)


OWN = (
    "deletionPolicy=Delete must not be used when the controller doesn't own the secret. Please set creationPolicy=Owner"
)
ELSEWHERE = (
    'templateFrom target="metadata.ownerReferences" is not allowed when targeting a Secret, '
    'must be one of "Data", "Annotations" or "Labels"'
)
CASES = [
    (_spec(), (), "nothing wrong"),
    (_spec(data=()), ("either data or dataFrom should be specified",), "nothing asked for"),
    (_spec(deletion_policy="Delete", creation_policy="Merge"), (OWN,), "Merge owns nothing"),
    (_spec(deletion_policy="Delete", creation_policy="None"), (OWN,), "None neither"),
    (_spec(deletion_policy="Delete", creation_policy="CreateOrMerge"), (OWN,), "nor CreateOrMerge"),
    (_spec(deletion_policy="Delete", creation_policy="Owner"), (), "Owner does"),
    (
        _spec(deletion_policy="Merge", creation_policy="None"),
        ("deletionPolicy=Merge must not be used with creationPolicy=None. There is no Secret to merge with",),
        "nothing to merge with",
    ),
    (_spec(data=(ITEM, ITEM, ITEM)), ("duplicate secretKey found: k",) * 2, "each repetition"),
    (_spec(data=(ITEM, ITEM), deletion_policy="Merge"), (), "which one is there may be the point"),
    (
        _spec(data_from=[ExternalSecretItems(extract=RemoteRef(key="r"), find=Find())]),
        ("extract, find, or generatorRef cannot be set at the same time",),
        "two at once",
    ),
    (
        _spec(data_from=[ExternalSecretItems(find=Find(), source_ref=GENERATOR)]),
        ("extract, find, or generatorRef cannot be set at the same time",),
        "generators too",
    ),
    (
        _spec(data_from=[ExternalSecretItems()]),
        ("either extract, find, or sourceRef must be set to dataFrom",),
        "none at all",
    ),
    (
        _spec(data_from=[ExternalSecretItems(find=Find(), source_ref=SourceRef())]),
        ("generatorRef or storeRef must be set when using sourceRef in dataFrom",),
        "a reference to nothing",
    ),
    (_spec(data_from=[ExternalSecretItems(source_ref=GENERATOR)]), (), "a generator alone"),
    (
        _spec(data_from=[ExternalSecretItems(find=Find(), source_ref=SourceRef(store_ref=SecretStoreRef(name="s")))]),
        (),
        "another store",
    ),
    (
        _spec(template=_template(type=TOKEN, metadata=NAMED)),
        (f'template.type="{TOKEN}" with annotation "kubernetes.io/service-account.name" is not allowed',),
        "a token of any account (CVE-2026-42876)",
    ),
    (
        _spec(template=_template(type=TOKEN, template_from=(TemplateFrom(literal="", target="annotations"),))),
        (f'template.type="{TOKEN}" with templateFrom target="Annotations" is not allowed',),
        "the same by a template",
    ),
    (_spec(template=_template(metadata=NAMED)), (), "the annotation alone does nothing"),
    (
        _spec(template=_template(type="bootstrap.kubernetes.io/token")),
        ('template.type="bootstrap.kubernetes.io/token" is not allowed',),
        "a way to join the cluster",
    ),
    (
        _spec(template=_template(template_from=(TemplateFrom(literal="", target="metadata.ownerReferences"),))),
        (ELSEWHERE,),
        "fields that are not for templates",
    ),
    (
        _spec(
            template=_template(template_from=(TemplateFrom(literal="", target="spec"),)),
            manifest=TargetManifest(api_version="v1", kind="ConfigMap"),
        ),
        (),
        "other kinds have other fields",
    ),
]


@pytest.mark.parametrize(("spec", "said", "why"), CASES, ids=[case[-1] for case in CASES])
def test_problems_are_told_in_upstreams_words(spec, said, why):
    assert problems(spec) == said, why
