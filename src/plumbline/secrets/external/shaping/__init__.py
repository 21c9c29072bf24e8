"""From what stores answered to what the target Secret holds. Pure: no cluster, no store, no clock.

    spec -> problems(spec)                       what may not be asked for
    answers -> gathered(spec, answers, ...)      decoded, renamed, put together
    gathered, live -> target_of(making, live)    templates, owners, policies: what to write, if anything

gathering   `dataFrom` and `data`, by way of keys, decoding, rewriting
templating  `target.template`; functions/ has what templates call, faults what may be told of their failures
target      creation and deletion policies; desired, ownership and markers are its words
"""

from plumbline.secrets.external.shaping.desired import Desired, changes_nothing, values_of
from plumbline.secrets.external.shaping.gathering import Answers, Gathered, gathered
from plumbline.secrets.external.shaping.ownership import Subject, superseded
from plumbline.secrets.external.shaping.rules import problems
from plumbline.secrets.external.shaping.target import Making, Plan, intact, secret_name, target_of
from plumbline.secrets.external.shaping.templating import Sources

__all__ = [
    "Answers",
    "Desired",
    "Gathered",
    "Making",
    "Plan",
    "Sources",
    "Subject",
    "changes_nothing",
    "gathered",
    "intact",
    "problems",
    "secret_name",
    "superseded",
    "target_of",
    "values_of",
]
