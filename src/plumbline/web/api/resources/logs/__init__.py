"""What pods of an application print: merged by time, streamed, and never held."""

from plumbline.web.api.resources.logs.serving import Logs

__all__ = ["Logs"]
