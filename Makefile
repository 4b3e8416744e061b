# Installing, running and checking Cartulary. `make help` lists the targets.
#
# What belongs here: how things are started. What they do stands in pyproject.toml and in the code.
# Nothing is installed outside .venv and its sisters; a stamp file in each says what is in it, so that a second
# run has nothing to do.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
MAKEFLAGS += --no-builtin-rules
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

# The interpreter to build .venv with; empty: the first fitting one on the PATH (make PYTHON=/path/to/python3.12).
PYTHON ?=
# More words for the program that a target runs: make serve ARGS="--port 9000", make test ARGS="-k seal -x".
ARGS ?=
# Processes that pytest spreads the test files over.
WORKERS ?= 2

VENV := .venv
BENCH_VENV := .venv-bench
LOCK_VENV := .venv-lock
BIN := $(VENV)/bin

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
# Not inherited: a virtual environment that happens to be active, or a path that would shadow the checkout.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME

say = @printf '\033[1m%s\033[0m\n' "$(1)" >&2

##@ Running

.PHONY: serve
serve: $(VENV)/run.stamp $(VENV)/self.stamp ## install, then run the whole service on this machine (Ctrl-C stops it)
	@exec $(BIN)/cartulary serve $(ARGS)

##@ Checking

.PHONY: test
test: check ## the same as check

.PHONY: check
check: install ## install, then all that CI runs: format, lint, types, tests
	$(call say,format: ruff format --check)
	@$(BIN)/ruff format --check --quiet . || { echo "run 'make format'" >&2; exit 1; }
	$(call say,lint: ruff check)
	@$(BIN)/ruff check --quiet .
	$(call say,types: mypy)
	@$(BIN)/mypy
	$(call say,tests: pytest)
	@$(BIN)/pytest -n $(WORKERS) --dist loadfile $(ARGS)

.PHONY: format
format: install ## rewrite the code in the house's format, and fix what ruff can fix
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

.PHONY: kill
kill: install ## the long tests (marker soak): everything is killed with SIGKILL, over and over
	$(call say,soak: pytest -m soak)
	@$(BIN)/pytest -m soak -n 0 $(ARGS)

.PHONY: bench
bench: $(BENCH_VENV)/all.stamp ## measure, beside programs of others (in .venv-bench)
	@$(BENCH_VENV)/bin/python -m bench $(ARGS)

##@ Installing

.PHONY: install
install: $(VENV)/dev.stamp $(VENV)/self.stamp ## what running and checking need, into .venv

.PHONY: lock
lock: $(LOCK_VENV)/all.stamp ## resolve again: requirements/*.txt from pyproject.toml (ARGS=--upgrade for newer versions)
	@requirements/lock.sh $(LOCK_VENV)/bin/uv $(ARGS)

.PHONY: clean
clean: ## remove all that make has made here (never the data of a service)
	@rm -rf $(VENV) $(BENCH_VENV) $(LOCK_VENV) build dist ./*.egg-info
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help
help: ## this list
	@awk 'BEGIN {FS = ":.*## "} \
	    /^##@ / {printf "\n%s\n", substr($$0, 5)} \
	    /^[a-z]+:.*## / {printf "  make %-8s %s\n", $$1, $$2}' Makefile

# An environment of its own for each purpose: requirements/python.sh finds an interpreter that is new enough.
%/python.stamp:
	@rm -rf $* && python="$$(requirements/python.sh $(PYTHON))" && "$$python" -m venv $* && touch $@

# Two calls of pip, since a checkout has no hash: first all that is locked, every file checked against its hash; then
# the project itself, with no word about dependencies, built by the setuptools that the first call has installed.
pip_locked = "$(1)"/bin/python -m pip install -qq --require-hashes -r $(2) \
    || { requirements/explain.sh "$(1)" >&2; exit 1; }
pip_self = "$(1)"/bin/python -m pip install -qq --no-deps --no-build-isolation --no-index -e .

$(VENV)/run.stamp: requirements/run.txt | $(VENV)/python.stamp
	$(call say,installing the locked dependencies into $(VENV) ...)
	@$(call pip_locked,$(VENV),$<)
	@touch $@

# dev.txt holds all of run.txt, in the same versions.
$(VENV)/dev.stamp: requirements/dev.txt requirements/run.txt | $(VENV)/python.stamp
	$(call say,installing the locked dependencies and the tools into $(VENV) ...)
	@$(call pip_locked,$(VENV),$<)
	@touch $(VENV)/run.stamp $@

$(VENV)/self.stamp: pyproject.toml | $(VENV)/run.stamp
	@$(call pip_self,$(VENV))
	@touch $@

$(BENCH_VENV)/all.stamp: requirements/bench.txt pyproject.toml | $(BENCH_VENV)/python.stamp
	$(call say,installing the peers of the benchmark into $(BENCH_VENV) ...)
	@$(call pip_locked,$(BENCH_VENV),$<)
	@$(call pip_self,$(BENCH_VENV))
	@touch $@

$(LOCK_VENV)/all.stamp: requirements/lock.txt | $(LOCK_VENV)/python.stamp
	@$(call pip_locked,$(LOCK_VENV),$<)
	@touch $@
