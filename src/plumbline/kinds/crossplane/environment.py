"""EnvironmentConfig (apiextensions.crossplane.io/v1beta1 and v1alpha1): values that compositions share."""

from typing import Final

from plumbline.kinds.crossplane.common import AGE, APIEXTENSIONS, CROSSPLANE
from plumbline.kinds.fields import FreeObject
from plumbline.kinds.kind import Kind, NoSpec, NoStatus, Version


def _version(name: str) -> Version[NoSpec, NoStatus]:
    return Version(
        name=name, spec=NoSpec, status=NoStatus, also=(("data", FreeObject),), status_apart=False, columns=(AGE,)
    )


ENVIRONMENT_CONFIG: Final = Kind(
    group=APIEXTENSIONS,
    kind="EnvironmentConfig",
    plural="environmentconfigs",
    short_names=("envcfg",),
    categories=CROSSPLANE,
    namespaced=False,
    description="Values that compositions share.",
    versions=(_version("v1beta1"), _version("v1alpha1")),
    keep_unknown=True,
)
