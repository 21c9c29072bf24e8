"""Every write that Kubernetes knows, by one to three managers, to every list type, as the real API server does it."""

import pytest

from .chain import Chain
from .plan import Scenario, scenarios, status_scenarios

pytestmark = pytest.mark.conformance


def _slug(scenario: Scenario) -> str:
    return scenario.slug


@pytest.mark.parametrize("scenario", list(scenarios()), ids=_slug)
def test_writes_end_as_the_server_ends_them(real_cluster, matrix_namespace, scenario, record_property):
    _follow(Chain(real_cluster, scenario, matrix_namespace), record_property)


@pytest.mark.parametrize("scenario", list(status_scenarios()), ids=_slug)
def test_writes_to_status_end_as_the_server_ends_them(real_cluster, matrix_namespace, scenario, record_property):
    _follow(Chain(real_cluster, scenario, matrix_namespace), record_property)


def _follow(chain: Chain, record_property) -> None:
    chain.run()
    for name, count in chain.counts().items():
        record_property(name, count)
    told = "\n\n".join(str(mismatch) for mismatch in chain.mismatches[:5])
    assert not chain.mismatches, (
        f"{len(chain.mismatches)} of {chain.checked} writes differ.\n"
        f'replay: pytest tests/conformance/differential -k "{chain.scenario.slug}"\n\n{told}'
    )
    assert set(chain.filled) == set(chain.scenario.cells)
