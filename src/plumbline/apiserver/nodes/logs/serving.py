"""Answers to requests for logs, and to those that want to get into a container, or through it."""

from collections.abc import AsyncGenerator
from typing import Final

from plumbline.apiserver import statuses
from plumbline.apiserver.calls import Answer, Call
from plumbline.apiserver.controllers.cluster import Cluster
from plumbline.apiserver.nodes.kinds import POD
from plumbline.apiserver.nodes.logs.book import LogBook
from plumbline.apiserver.nodes.logs.buffer import Line, LogBuffer
from plumbline.apiserver.nodes.logs.options import LogOptions, log_options
from plumbline.apiserver.nodes.moments import seconds_of
from plumbline.apiserver.nodes.pods.run import PodRun
from plumbline.apiserver.nodes.pods.status import adopted
from plumbline.apiserver.nodes.pods.view import PodView
from plumbline.apiserver.nodes.settings import Timing
from plumbline.base.clock import Clock
from plumbline.base.errors import RequestRefused
from plumbline.base.json import JsonObject
from plumbline.kube.gotext import quoted

_TEXT: Final = "text/plain"
_PULLING: Final = {
    "ErrImagePull": "image can't be pulled",
    "ImagePullBackOff": "trying and failing to pull image",
}


async def serve_log(cluster: Cluster, logs: LogBook, namespace: str, name: str, call: Call) -> Answer:
    """Raises RequestRefused in the API server's words, or in those of the kubelet that it would have asked."""
    now_s = seconds_of(cluster.clock.now())
    options = log_options(call, name, now_s)
    pod = _pod(cluster, namespace, name)
    container = _container(pod, options.container)
    if not pod.node:
        return Answer(204, content_type="")
    buffer = _buffer(pod, logs, container, _logged_id(pod, container, previous=options.previous))
    buffer.catch_up(now_s)
    if options.follow and not buffer.closed:
        return Answer(200, content_type=_TEXT, stream=_followed(buffer, options, cluster.clock))
    body = b"".join(_encoded(line, options) for line in _shown(buffer, options))
    return Answer(200, body[: options.limit_bytes], content_type=_TEXT)


def refuse_connection(cluster: Cluster, namespace: str, name: str, subresource: str, call: Call) -> RequestRefused:
    """Why nobody gets into a container with exec or attach, or through it with portforward."""
    pod = _pod(cluster, namespace, name)
    container = "" if subresource == "portforward" else _container(pod, call.parameter("container"))
    if not pod.node:
        return statuses.bad_request(f"pod {name} does not have a host assigned")
    what = f"container {quoted(container)} in pod {quoted(name)}" if container else f"pod {quoted(name)}"
    why = "nothing listens on its ports" if subresource == "portforward" else "there is no process in it"
    return statuses.bad_request(f"{what} is simulated by the embedded control plane: {why}")


def _pod(cluster: Cluster, namespace: str, name: str) -> PodView:
    found = cluster.get(POD, namespace, name)
    if found is None:
        raise statuses.not_found("", "pods", name)
    return PodView(found)


def _container(pod: PodView, wanted: str) -> str:
    names = [each.name for each in (*pod.init, *pod.main, *pod.ephemeral)]
    if wanted:
        if wanted not in names:
            raise statuses.bad_request(f"container {wanted} is not valid for pod {pod.name}")
        return wanted
    if len(pod.main) == 1:
        return pod.main[0].name
    raise statuses.bad_request(
        f"a container name must be specified for pod {pod.name}, choose one of: [{' '.join(names)}]"
    )


def _logged_id(pod: PodView, container: str, *, previous: bool) -> str:
    """The id of the container whose log is meant, as a kubelet finds it."""
    about = f"container {quoted(container)} in pod {quoted(pod.name)}"
    status = _status(pod, container)
    if status is None:
        raise statuses.bad_request(f"{about} is not available")
    state: JsonObject = status.get("state") or {}
    last = ((status.get("lastState") or {}).get("terminated") or {}).get("containerID")
    if previous:
        if not last:
            raise statuses.bad_request(f"previous terminated {about} not found")
        return str(last)
    if state.get("running"):
        return str(status.get("containerID"))
    over = state.get("terminated")
    found = (over or {}).get("containerID") or last
    if found:
        return str(found)
    if over:
        raise statuses.bad_request(f"{about} is terminated")
    reason = str((state.get("waiting") or {}).get("reason") or "")
    raise statuses.bad_request(f"{about} is waiting to start: {_PULLING.get(reason, reason)}")


def _status(pod: PodView, container: str) -> JsonObject | None:
    for field in ("containerStatuses", "initContainerStatuses", "ephemeralContainerStatuses"):
        for each in pod.status.get(field) or ():
            if each.get("name") == container:
                return each
    return None


def _buffer(pod: PodView, logs: LogBook, container: str, id_: str) -> LogBuffer:
    found = logs.find(pod, container, id_)
    if found is None:
        # From an earlier life of this process: what the status knows is enough to write it again.
        run: PodRun = adopted(pod, Timing())
        logs.observe(pod, run)
        found = logs.find(pod, container, id_)
    return found or LogBuffer(0.0)


def _shown(buffer: LogBuffer, options: LogOptions) -> list[Line]:
    lines = list(buffer.lines())
    if options.tail is not None:
        lines = lines[len(lines) - options.tail :] if options.tail < len(lines) else lines
    return [line for line in lines if options.since_s is None or line.at_s >= options.since_s]


def _encoded(line: Line, options: LogOptions) -> bytes:
    return line.encoded(timestamps=options.timestamps)


async def _followed(buffer: LogBuffer, options: LogOptions, clock: Clock) -> AsyncGenerator[bytes]:
    left = options.limit_bytes
    lines, seen = _shown(buffer, options), buffer.written
    while True:
        piece = b"".join(_encoded(line, options) for line in lines)
        if left is not None:
            piece, left = piece[:left], max(left - len(piece), 0)
        if piece:
            yield piece
        if buffer.closed or left == 0:
            return
        await buffer.more(seen, seconds_of(clock.now()))
        buffer.catch_up(seconds_of(clock.now()))
        lines, seen = list(buffer.lines(seen)), buffer.written
