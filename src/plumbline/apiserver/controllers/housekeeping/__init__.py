"""What keeps a cluster in order: garbage, namespaces, service accounts and their tokens, roles that are sums of others, old events."""

from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.controllers.controller import Controller
from plumbline.apiserver.controllers.housekeeping.accounts import BasicsController
from plumbline.apiserver.controllers.housekeeping.events import EventExpiry
from plumbline.apiserver.controllers.housekeeping.garbage import GarbageCollector
from plumbline.apiserver.controllers.housekeeping.namespaces import NamespaceController
from plumbline.apiserver.controllers.housekeeping.roles import AggregationController
from plumbline.apiserver.controllers.housekeeping.tokens import Sign, TokensController
from plumbline.apiserver.controllers.housekeeping.tokenuse import TokenUse

__all__ = ["TokenUse", "housekeeping_controllers"]


def housekeeping_controllers(
    cluster: Cluster, authority_pem: str = "", sign: Sign | None = None
) -> tuple[Controller, ...]:
    """*authority_pem* is the certificate that every namespace gets to know the API by; empty for none.

    Without *sign* no Secret gets a token.
    """
    tokens = (TokensController(cluster, sign, authority_pem),) if sign else ()
    return (
        *tokens,
        GarbageCollector(cluster),
        NamespaceController(cluster),
        BasicsController(cluster, authority_pem),
        AggregationController(cluster),
        EventExpiry(cluster),
    )
