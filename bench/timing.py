"""Times as the best of several rounds: on a shared machine the least disturbed round says the most."""

import time


def best_ms(action, rounds=7, seconds=0.2):
    """Milliseconds per call of *action* in its best round."""
    action()
    best = float("inf")
    for _ in range(rounds):
        calls, start = 0, time.perf_counter()
        while time.perf_counter() - start < seconds:
            action()
            calls += 1
        best = min(best, (time.perf_counter() - start) / calls)
    return best * 1000


def line(what, value, budget=""):
    print(f"  {what:<58} {value:>12}   {budget}")
