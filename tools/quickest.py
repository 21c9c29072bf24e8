"""The quickest interpreter of those that are named, that can make a virtual environment: `python tools/quickest.py python3 /usr/bin/python3`.

One that was built without profiles, as pyenv does by itself, needs a third to a half more time for a loop like the one below than that
of Debian, and our program a tenth more.
"""

import subprocess
import sys

# In turns, and more than once: something else may begin on the machine while one of them counts.
ROUNDS = 4
LOOP = """
import ensurepip, sys, time  # Debian has the first in a package of its own, without which there is no virtual environment
def work():
    found = {}
    for number in range(100_000):
        parts = f"{number}/{number % 7}".split("/")
        if parts[1] in found:
            found[parts[1]].append(len(parts[0]))
        else:
            found[parts[1]] = [number]
    return found
def seconds():
    begun_s = time.process_time()
    work()
    return time.process_time() - begun_s
assert sys.version_info >= (3, 11)
print(min(seconds() for _ in range(5)))
"""


def loop_s(interpreter):
    """How long it takes; infinitely, where it is none that we run on."""
    try:
        done = subprocess.run([interpreter, "-I", "-c", LOOP], capture_output=True, text=True, check=True)
    except (OSError, subprocess.CalledProcessError):
        return float("inf")
    return float(done.stdout)


if __name__ == "__main__":
    print(min((loop_s(interpreter), interpreter) for _ in range(ROUNDS) for interpreter in sys.argv[1:])[1])
