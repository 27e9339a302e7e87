# The few words a developer types. Each works from a fresh clone with Python 3.11 and make; `make` alone lists them.

# The first Python that is new enough; `make PYTHON=... test` takes another.
PYTHON ?= $(or $(shell for python in python3 python3.13 python3.12 python3.11; do \
	"$$python" -c 'import sys; sys.exit(sys.version_info < (3, 11))' 2>/dev/null && echo "$$python" && break; done),python3)
# Two more than the cores it is meant for: a third of a run is waiting for processes, leases and clocks.
WORKERS ?= 4
PROJECT ?= examples/parcel-desk
RUNTIME ?= ray
BIN := .venv/bin
PACKAGES := $(wildcard abl abl_client cli domain engine voice evals providers storage actors gateway)
GENERATORS := $(wildcard tools/generate_*.py)
BENCHES := $(shell grep -l 'import.*publish' benchmarks/*.py)

.DEFAULT_GOAL := help
.PHONY: help setup setup-base setup-serve setup-test serve test check prove bench soak lock web fmt clean

help: ## list the targets
	@sed -n 's/^\([a-z%-]*\):.*## /\1: /p' Makefile

setup: setup-serve ## everything, the server included, into .venv; Node, its packages and a browser for the tests
	@$(BIN)/python -m tools.node

setup-serve: ## what the server needs into .venv
	@$(PYTHON) tools/environment.py all

setup-test: ## what the tests and checks need into .venv
	@$(PYTHON) tools/environment.py test

setup-base: ## the four base dependencies only into .venv
	@$(PYTHON) tools/environment.py base

serve: setup-serve ## start the product on an example; PROJECT=DIR takes other agents, RUNTIME=local starts in 2 s, without Ray
	$(BIN)/abl serve --runtime $(RUNTIME) --project $(PROJECT) --pull-model $(addprefix --mocks ,$(wildcard $(PROJECT)/mocks.yaml))

test: setup ## the default tests; SHUFFLE=7 takes them in a random order, the same for the same number
	$(BIN)/python -m pytest -n $(WORKERS) $(if $(SHUFFLE),--shuffle $(SHUFFLE))

check: setup ## what the gate runs: format, lint, types, imports, generated files, fast tests
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy $(PACKAGES) benchmarks tools
	$(BIN)/lint-imports --cache-dir .cache/import_linter
	@set -e; for generator in $(GENERATORS); do echo "$$generator --check"; $(BIN)/python $$generator --check; done
	$(BIN)/python -m pytest -n $(WORKERS) tests/architecture tests/unit

prove: setup ## the kill test: 2,000 turns while processes are killed, clocks leap and the disk is full; nothing lost or twice
	$(BIN)/python -m tests.prove.kill_test

bench: setup ## every benchmark, one after the other
	@set -e; for bench in $(BENCHES); do $(BIN)/python -m benchmarks.$$(basename $$bench .py); done

bench-%: setup ## one benchmark: bench-abl runs benchmarks/abl.py, bench-cold-start runs benchmarks/cold_start.py
	$(BIN)/python -m benchmarks.$(subst -,_,$*)

soak: setup ## the long tests: fuzzing, generated documents
	$(BIN)/python -m pytest -n $(WORKERS) -m soak

lock: setup-test ## write requirements/*.txt from pyproject.toml; UPGRADE=1 takes the newest versions
	$(BIN)/python -m tools.lock $(if $(UPGRADE),--upgrade)

web: setup ## build what the gateway serves of web/ into gateway/assets/sdk
	$(BIN)/python -m tools.generate_web

fmt: setup-test ## format and mend what can be mended
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## remove everything that the other targets made
	rm -rf .venv .cache .*_cache .hypothesis build dist *.egg-info web/node_modules web/packages/*/dist
	find . -name __pycache__ -type d -not -path './.git/*' -prune -exec rm -rf {} +
