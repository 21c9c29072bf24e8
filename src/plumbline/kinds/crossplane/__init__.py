"""Crossplane's own kinds: definitions, compositions, usages, packages. Both lineages, 1.x and 2.x, in one set."""

from typing import Any, Final

from plumbline.kinds.crossplane.composition import COMPOSITION, COMPOSITION_REVISION
from plumbline.kinds.crossplane.definition import COMPOSITE_RESOURCE_DEFINITION
from plumbline.kinds.crossplane.environment import ENVIRONMENT_CONFIG
from plumbline.kinds.crossplane.managed import MANAGED_RESOURCE_ACTIVATION_POLICY, MANAGED_RESOURCE_DEFINITION
from plumbline.kinds.crossplane.packages import (
    CONFIGURATION,
    CONFIGURATION_REVISION,
    FUNCTION,
    FUNCTION_REVISION,
    PROVIDER,
    PROVIDER_REVISION,
)
from plumbline.kinds.crossplane.usage import CLUSTER_USAGE, LEGACY_USAGE, USAGE
from plumbline.kinds.kind import Kind

CROSSPLANE_KINDS: Final[tuple[Kind[Any, Any], ...]] = (
    COMPOSITE_RESOURCE_DEFINITION,
    COMPOSITION,
    COMPOSITION_REVISION,
    ENVIRONMENT_CONFIG,
    USAGE,
    CLUSTER_USAGE,
    LEGACY_USAGE,
    PROVIDER,
    PROVIDER_REVISION,
    FUNCTION,
    FUNCTION_REVISION,
    CONFIGURATION,
    CONFIGURATION_REVISION,
    MANAGED_RESOURCE_DEFINITION,
    MANAGED_RESOURCE_ACTIVATION_POLICY,
)
"""Without Lock, ImageConfig, DeploymentRuntimeConfig: nothing here fetches packages or runs their programs."""
