"""Who asks: logins, sessions and accounts on the web port, and the `Asker` that every other part is given.

askers = Askers(sessions, lambda: keeper.realm, clock)
Route("/api/v1/clusters", GET, askers.asked(self._list))     # async def _list(self, request, asker) -> Response
"""

from plumbline.web.session.accounts import AccountPart, Decider, Verdict
from plumbline.web.session.asker import ANONYMOUS, Asker
from plumbline.web.session.askers import Askers
from plumbline.web.session.logins import Logins
from plumbline.web.session.part import SessionPart
from plumbline.web.session.peers import Peers
from plumbline.web.session.record import Record
from plumbline.web.session.signon import SignOnPart

__all__ = [
    "ANONYMOUS",
    "AccountPart",
    "Asker",
    "Askers",
    "Decider",
    "Logins",
    "Peers",
    "Record",
    "SessionPart",
    "SignOnPart",
    "Verdict",
]
