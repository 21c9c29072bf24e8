"""Functions that run elsewhere: at an address, as a program that is started here, or as Python code in a folder.

All of them are reached by gRPC, with the messages of the protocol's Python SDK. That is an extra; it is imported when the
first such function is called.
"""

from plumbline.composition.functions.grpc.programs import Program, from_command, from_python
from plumbline.composition.functions.grpc.remote import Certificates, Remote

__all__ = ["Certificates", "Program", "Remote", "from_command", "from_python"]
