"""One line at the end that says how much was compared."""

from collections import Counter

from .plan import COUNTED, SEEDS


def pytest_terminal_summary(terminalreporter):
    total: Counter[str] = Counter()
    for outcome in ("passed", "failed"):
        for report in terminalreporter.stats.get(outcome, ()):
            if getattr(report, "when", "") == "call":
                total.update({name: value for name, value in report.user_properties if name in COUNTED})
    if total:
        told = ", ".join(f"{total[name]} {name}" for name in COUNTED)
        terminalreporter.write_line(f"differential matrix: {told}, from {len(SEEDS)} seeds")
