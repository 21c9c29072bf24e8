# Plumbline: `make up` starts it, `make test` proves it. Everything else is here: `make help`.
# Of the interpreters at hand the quickest: one that was built without profiles takes a third longer for everything below.
PYTHON ?= $(shell python3 tools/quickest.py python3 /usr/bin/python3)
VENV   := .venv
BIN    := $(VENV)/bin
STAMP  := $(VENV)/.installed
FULL   := $(VENV)/.full
WARM   := $(VENV)/.collected
CORE   := $(VENV)-core
PEERS  := $(or $(PLUMBLINE_PEERS),$(HOME)/.cache/plumbline-peers)
UI     := src/plumbline/web/static/manifest.json
UI_FROM := $(shell find ui \( -name node_modules -o -name tests \) -prune -o -type f ! -name '*.test.*' ! -name '*.md' -print)
# One more than cores: a quarter of the time tests wait, for processes that they started.
WORKERS := $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
TESTS  := $(BIN)/pytest -m "not conformance" --ignore tests/conformance --ignore tests/e2e/ui
.DEFAULT_GOAL := help
# Tests start hundreds of interpreters: what one of them compiled, the next need not.
unexport PYTHONDONTWRITEBYTECODE

help:  ## this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## /{printf "  %-12s %s\n", $$1, $$2}' $(MAKEFILE_LIST)

setup: $(STAMP)  ## the virtual environment with everything locked in it

$(STAMP): requirements/dev.lock pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv $(VENV)
	$(BIN)/pip install --quiet --no-compile --require-hashes -r requirements/dev.lock
	$(BIN)/pip install --quiet --no-build-isolation --no-deps --editable .
	touch $@

$(FULL): requirements/full.lock $(STAMP)
	$(BIN)/pip install --quiet --no-compile --require-hashes -r requirements/full.lock
	touch $@

up: setup ui  ## start the control plane, in the foreground
	$(BIN)/plumb up

test:  ## lint, types, contracts, then every test that needs no peer
	$(MAKE) --jobs=2 --output-sync=target lint ui ui-check $(WARM)
	$(TESTS) -n $(WORKERS) --dist worksteal --hypothesis-profile brief $(ARGS)

cover:  ## `make test` with all examples and with coverage, which takes twice as long: at least 95 %
	$(MAKE) test WORKERS=2 ARGS="--hypothesis-profile repeatable --cov --cov-report= $(ARGS)"
	$(BIN)/coverage report --fail-under 95

lint: types style contracts  ## style, types and import contracts

types: setup
	$(BIN)/mypy

style: setup
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .

contracts: setup
	$(BIN)/lint-imports

# What every worker would do at the same time as the others is done once and kept: asserts rewritten, modules compiled.
# Where that fails, the tests say why.
$(WARM): $(STAMP)
	@$(TESTS) --collect-only --quiet --quiet > /dev/null || true
	@touch $@

peers: $(FULL)  ## build the real API server, Argo CD, real clients and what they need into the cache folder
	tests/conformance/peers/build go kube etcd kubectl redis argocd helm kustomize tofu crossplane kubeseal sealed-secrets-controller external-secrets age informer providers
	PATH="$(PEERS)/path:$$PATH" tests/conformance/peers/patching/build "$(PEERS)/bin/crossplane-patching"
	PATH="$(PEERS)/path:$$PATH" tests/conformance/composition/rendering_oracle/build "$(PEERS)/bin"
	PATH="$(PEERS)/path:$$PATH" tests/conformance/secrets/sealing_oracle/build "$(PEERS)/bin/sealing-oracle"
	PATH="$(PEERS)/path:$$PATH" tests/conformance/argocd_e2e/build "$(PEERS)/argocd-e2e"
	tests/e2e/ui/chromium

conformance: ui peers  ## the same promises against real servers and real clients
	PATH="$(PEERS)/path:$$PATH" $(BIN)/pytest -n 2 --dist loadfile -m "conformance and not thorough" $(ARGS)

upstream: ui peers  ## all of Argo CD's own end-to-end tests that are kept, against `plumb up`
	PATH="$(PEERS)/path:$$PATH" $(BIN)/pytest -m conformance tests/conformance/argocd_e2e $(ARGS)

bench: ui peers $(CORE)/.installed  ## figures, as ratios within one run
	rm -rf $(CORE)/wheels
	$(BIN)/pip wheel --quiet --no-build-isolation --no-deps --wheel-dir $(CORE)/wheels .
	$(BIN)/pip --python $(CORE)/bin/python install --quiet --no-deps --force-reinstall $(CORE)/wheels/*.whl
	PLUMBLINE_PROGRAM=$(CURDIR)/$(CORE)/bin/plumb $(BIN)/python -m bench $(ARGS)

$(CORE)/.installed: requirements/core.lock $(STAMP)
	$(PYTHON) -m venv --clear --without-pip $(CORE)
	$(BIN)/pip --python $(CORE)/bin/python install --quiet --require-hashes -r requirements/core.lock
	touch $@

ui: $(UI)  ## the web interface, built into the package (with Node from PyPI if the system has none)

$(UI): $(UI_FROM) ui/node_modules/.package-lock.json
	ui/scripts/npm run --silent build

ui/node_modules/.package-lock.json: ui/package-lock.json
	ui/scripts/npm install --no-save --silent  # not `ci`: the lock has no binaries of systems that it was not written on
	touch $@

ui-check: ui/node_modules/.package-lock.json  ## style, types and tests of the web interface
	ui/scripts/npm run --silent check

lock:  ## rewrite the lock files from pyproject.toml (needs uv)
	requirements/compile

clean:  ## remove everything that make made
	rm -rf $(VENV) $(CORE) $(VENV)-node build dist ui/node_modules src/plumbline/web/static .coverage* .hypothesis .import_linter_cache .mypy_cache .pytest_cache .ruff_cache
	find bench src tests tools -name __pycache__ -prune -exec rm -rf {} +

.PHONY: help setup up test cover lint types style contracts peers conformance upstream bench ui ui-check lock clean
