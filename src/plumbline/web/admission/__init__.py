"""Questions of API servers: admission reviews over TLS, on a port of their own.

port = AdmissionPort(AdmissionSettings(), Admission({"/validate-no-usages": usages.validate}), clock)
async with port.running(): ...
"""

from plumbline.web.admission.listener import AdmissionPort, AdmissionSettings
from plumbline.web.admission.part import Admission

__all__ = ["Admission", "AdmissionPort", "AdmissionSettings"]
