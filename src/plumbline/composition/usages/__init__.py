"""Usages: what is used is not deleted while it is used.

usages = Usages(Parts(client, world, gate, records, collections))
usages.reached = Reached("https://127.0.0.1:8444", authority_pem)
await usages.run()
answer = await usages.validate(review)
"""

from plumbline.composition.usages.configuration import QUESTION
from plumbline.composition.usages.usages import Parts, Usages
from plumbline.composition.usages.validating import Admissions
from plumbline.gate.webhooks import Reached, Service

__all__ = ["QUESTION", "Admissions", "Parts", "Reached", "Service", "Usages"]
