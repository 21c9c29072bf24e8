"""Who may do what: Argo CD's policy.csv and the roles of its projects, decided as Argo CD decides.

Pure: the texts come in, decisions go out, each with the line that made it. A policy is put in order once and then asked
thousands of times a second. Nothing here knows who is logged in, and nothing here is cached by time.

Where it differs from upstream it permits less: an empty subject never matches, a pattern that cannot be read denies
where it stands in a line that denies. The one exception is named in `Policy.compiled`.
"""

from plumbline.access.policy.decision import Decision
from plumbline.access.policy.policy import Policy
from plumbline.access.policy.reading import policy_from
from plumbline.access.policy.remarks import remarks
from plumbline.access.policy.requests import Question, Target, decide_object
from plumbline.access.policy.settings import AccessSettings, access_settings
from plumbline.access.policy.source import PolicySource, policy_source
from plumbline.access.policy.subject import ANONYMOUS, Subject

__all__ = [
    "ANONYMOUS",
    "AccessSettings",
    "Decision",
    "Policy",
    "PolicySource",
    "Question",
    "Subject",
    "Target",
    "access_settings",
    "decide_object",
    "policy_from",
    "policy_source",
    "remarks",
]
