"""Usages: what is used is not deleted while it is used.

usages = Usages(Parts(client, world, gate, records, collections))
usages.reached = Reached("https://127.0.0.1:8444", authority_pem)
await usages.run()
answer = await usages.validate(review)
"""

from plumbline.composition.usages.configuration import Reached, Service
from plumbline.composition.usages.usages import Parts, Usages
from plumbline.composition.usages.validating import Admissions

__all__ = ["Admissions", "Parts", "Reached", "Service", "Usages"]
