"""What Argo CD 3.5.6 does with a chart: the commands that it runs, in a checkout of its own, unconfined."""

import shutil
import subprocess
from pathlib import Path

from plumbline.base.json import encode
from plumbline.kinds.application import ApplicationSourceHelm

MISSING = "missing in charts/ directory"


def templated(helm: Path, checkout: Path, chart: str, app: dict, options: ApplicationSourceHelm) -> bytes:
    """Template; where a dependency is missing build them and template again."""
    argv = _argv(checkout, chart, app, options)
    done = _run(helm, argv, checkout / chart)
    if done.returncode and MISSING.encode() in done.stderr:
        built = _run(helm, ["dependency", "build"], checkout / chart)
        assert built.returncode == 0, built.stderr
        done = _run(helm, argv, checkout / chart)
    assert done.returncode == 0, done.stderr.decode()
    return done.stdout


def checked_out(corpus: Path, folder: Path) -> Path:
    shutil.copytree(corpus, folder, symlinks=True)
    return folder


def _run(helm: Path, argv: list[str], cwd: Path) -> subprocess.CompletedProcess[bytes]:
    home = cwd / ".home"
    environment = {"HOME": str(home), "PATH": "/usr/bin:/bin"}
    return subprocess.run([helm, *argv], cwd=cwd, env=environment, capture_output=True, timeout=60, check=False)


def _argv(checkout: Path, chart: str, app: dict, options: ApplicationSourceHelm) -> list[str]:
    argv = ["template", ".", "--name-template", options.release_name or app["name"]]
    argv += ["--namespace", options.namespace or app["namespace"]]
    if version := options.kube_version or app.get("kube_version", ""):
        argv += ["--kube-version", version]
    for each in options.parameters:
        if not each.force_string:
            argv += ["--set", f"{each.name}={_escaped(each.value)}"]
    for each in options.parameters:
        if each.force_string:
            argv += ["--set-string", f"{each.name}={_escaped(each.value)}"]
    for each in options.file_parameters:
        argv += ["--set-file", f"{each.name}={_resolved(checkout, chart, each.path)}"]
    for each in app.get("expanded", options.value_files):
        argv += ["--values", str(_resolved(checkout, chart, each))]
    if options.values or options.values_object is not None:
        own = checkout / "extra-values.yaml"
        own.write_bytes(options.values.encode() if options.values_object is None else encode(options.values_object))
        argv += ["--values", str(own)]
    for each in options.api_versions or app.get("api_versions", ()):
        argv += ["--api-versions", each]
    argv += [] if options.skip_crds else ["--include-crds"]
    argv += ["--skip-schema-validation"] if options.skip_schema_validation else []
    return argv + (["--skip-tests"] if options.skip_tests else [])


def _resolved(checkout: Path, chart: str, path: str) -> Path:
    return checkout / path.lstrip("/") if path.startswith("/") else checkout / chart / path


def _escaped(value: str) -> str:
    return value if value.startswith("{") and value.endswith("}") else value.replace("\\,", ",").replace(",", "\\,")
