"""Where blocking calls run: a thread of their own, or right here for simulators and tests."""

from collections.abc import Callable
from concurrent.futures import Executor, Future, ThreadPoolExecutor
from typing import ParamSpec, TypeVar

P = ParamSpec("P")
T = TypeVar("T")


class InlineExecutor(Executor):
    """Runs a call when it is submitted, in the caller's thread: no threads, and so the same order every time."""

    def submit(self, fn: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> Future[T]:
        future: Future[T] = Future()
        try:
            future.set_result(fn(*args, **kwargs))
        except BaseException as error:  # noqa: BLE001 - it is the future's to tell, as in a thread
            future.set_exception(error)
        return future


def own_thread() -> Executor:
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="journal")
