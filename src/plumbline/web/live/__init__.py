"""News for pages: one stream of server-sent events per tab, made once for all who may see it.

    topics = Topics()
    topics.add("applications", feed)      # a topic
    topics.add("application:", feed)      # a family: `application:NAMESPACE/NAME`
    live = Live(topics, door, sight, clock=SystemClock(), ids=Ids())    # a part of the web port

What feeds tell is gathered for a quarter of a second (the first after a quiet moment goes at once), the latest of each
thing is put into a ring, and streams take from there what they have not sent yet. A page that was away goes on from its
last event; where that is no longer known, or something was missed, it is told to fetch anew (`reset`).
"""

from plumbline.web.live.changes import Change, Feed, Kind, Tell
from plumbline.web.live.doors import FamilySight, SessionDoor
from plumbline.web.live.feeds import Listened, Polled, Together
from plumbline.web.live.part import Live, LiveSettings
from plumbline.web.live.sight import Door, Sight, Viewer
from plumbline.web.live.topics import Topics

__all__ = [
    "Change",
    "Door",
    "FamilySight",
    "Feed",
    "Kind",
    "Listened",
    "Live",
    "LiveSettings",
    "Polled",
    "SessionDoor",
    "Sight",
    "Tell",
    "Together",
    "Topics",
    "Viewer",
]
