"""Single turns in the lives of objects that only some kinds take: what strategies and allocators do to them."""

from collections.abc import Mapping

from tests.apiserver.scripts.steps import Script
from tests.apiserver.strategies.turns import (
    namespaces,
    others,
    pods,
    podwarnings,
    services,
    storage,
    versions,
    workloads,
)

THEMES: Mapping[str, Mapping[str, Script]] = {
    f"strategies-{module.__name__.rsplit('.', 1)[1]}": module.SCRIPTS
    for module in (namespaces, others, pods, podwarnings, services, storage, versions, workloads)
}
