# Installs, runs and checks Cartulary. `make help` lists the targets.
#
# Everything is installed into virtual environments in this folder (.venv, .venv-bench, .venv-lock). A stamp file in
# each of them records what has been installed, so that a second run has nothing to install.

.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:
.SUFFIXES:
MAKEFLAGS += --no-builtin-rules
# The flag above is for this Makefile only: the makefiles of packages that pip may compile need the built-in rules.
unexport MAKEFLAGS MFLAGS
SHELL := bash
.SHELLFLAGS := -euo pipefail -c

# The interpreter to create .venv with. If empty, the first suitable one on the PATH (requirements/python.sh).
PYTHON ?=
# Extra arguments for the program that a target runs: make serve ARGS="--port 9000", make test ARGS="-k seal -x".
ARGS ?=
# The number of pytest processes, which share the test files. Many tests wait for other processes, so that four of them
# use two cores better than two would.
WORKERS ?= 4

VENV := .venv
BENCH_VENV := .venv-bench
LOCK_VENV := .venv-lock
BIN := $(VENV)/bin
BROWSER := $(VENV)/browser

export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PIP_NO_INPUT := 1
# An active virtual environment, or a path that shadows the checkout, must not influence the environments made here.
unexport VIRTUAL_ENV PYTHONPATH PYTHONHOME
# The tests start hundreds of processes, which would all compile every module again.
unexport PYTHONDONTWRITEBYTECODE

print = @printf '\033[1m%s\033[0m\n' "$(1)" >&2

##@ Running

.PHONY: serve
serve: $(VENV)/run.stamp $(VENV)/engine.stamp $(VENV)/self.stamp ## install, then run the whole service on this machine (Ctrl-C stops it)
	@exec $(BIN)/cartulary serve $(ARGS)

##@ Checking

.PHONY: test
test: check ## the same as check

.PHONY: check
check: install ## install, then run what CI runs: format, lint, types, scripts, tests
	@tests/check.sh $(VENV) -n $(WORKERS) --dist loadfile $(ARGS)

.PHONY: nightly
nightly: install ## run the tests that take long by nature (marker nightly), as CI does every night
	$(call print,long tests: pytest -m nightly)
	@$(BIN)/pytest -m nightly -n $(WORKERS) --dist loadfile $(ARGS)

.PHONY: cluster
cluster: install ## run the tests of the service on a Redis Cluster, and behind Sentinel (each takes minutes)
	$(call print,on a Redis Cluster: pytest --redis cluster)
	@$(BIN)/pytest --redis cluster -n $(WORKERS) --dist loadfile tests/service tests/workers $(ARGS)
	$(call print,behind Sentinel: pytest --redis sentinel)
	@$(BIN)/pytest --redis sentinel -n $(WORKERS) --dist loadfile tests/service tests/workers $(ARGS)

.PHONY: engines
engines: install ## run the tests of what an engine does on Redis 6.2, 7, 8 and Valkey, whichever this machine can get
	@tests/engines.sh $(VENV) -n $(WORKERS) --dist loadfile $(ARGS)

.PHONY: new-game
new-game: install ## write the files of a new game into a folder of its own: NAME=seven_hexes (docs/adding-a-game.md)
	@$(BIN)/cartulary new-game "$(NAME)" $(ARGS)

.PHONY: format
format: install ## format the code and apply ruff's automatic fixes
	@$(BIN)/ruff check --fix-only --quiet .
	@$(BIN)/ruff format .

.PHONY: pictures
pictures: install ## draw the pictures of the docs again, from recorded games
	@$(BIN)/cartulary replay tests/games/duke-of-three.jsonl --seq 129 --format svg --wide --lang en >docs/board.svg.new
	@mv docs/board.svg.new docs/board.svg

.PHONY: screenshots
screenshots: install ## take the screenshots of docs/web.md again, in a Chromium with a service of its own
	@$(BIN)/python -m tests.browser.screenshots docs/screenshots

.PHONY: icons
icons: install ## draw the icons of the application again, from service/pages/static/icon.svg
	@$(BIN)/python -m service.pages.draw_icons

.PHONY: fonts
fonts: install ## make the fonts of the pages again, from the npm packages of requirements/fonts
	@requirements/fonts/subset.sh $(VENV)

.PHONY: mails
mails: install ## draw the mails of docs/notifications.md again, in a Chromium
	@$(BIN)/python -m tests.browser.mails docs/screenshots

.PHONY: catalogues
catalogues: install ## write the messages of the code into the catalogues of translations (ARGS=LANGUAGE for a new one)
	@$(BIN)/python -m replay.language.maintenance $(ARGS)

.PHONY: client
client: install ## write the calls of the client library from the OpenAPI document again, into client/groups
	@$(BIN)/python -m service.http.client_generator $(ARGS)

.PHONY: examples
examples: install ## take the examples of the OpenAPI document that are missing from a run of tests (ARGS=tests/service/clubs)
	@$(BIN)/pytest -q -n $(WORKERS) --dist loadfile -p tests.support.recorded_examples $(or $(ARGS),tests/service)

.PHONY: translated
translated: install ## record that translated clauses fit the English rules page as it is (ARGS="LANGUAGE CLAUSE...")
	@$(BIN)/python -m replay.language.translated_clauses $(ARGS)

.PHONY: kill
kill: install ## run the long tests (marker soak), which take minutes: among others, processes are killed at random
	$(call print,long tests: pytest -m soak)
	@$(BIN)/pytest -m soak -n 0 $(ARGS)

.PHONY: thirty-days
thirty-days: install ## simulate thirty days of fifty games with faults and a season of tournaments, and check everything
	@$(BIN)/pytest -m soak -n 0 tests/simulation $(ARGS)

.PHONY: fuzz
fuzz: install ## run the commands that read records on changed records (ARGS="--cases N", 10,000 take some minutes)
	@$(BIN)/python -m tests.mutations commands $(ARGS)

.PHONY: mutations
mutations: install ## audit mutated records; none may be sound but those that docs/threats.md lists (100,000: ARGS="--cases 100000")
	@$(BIN)/python -m tests.mutations audits $(ARGS)

.PHONY: test-installs
test-installs: ## install and try a copy of the checkout with every Python from 3.11 to 3.14 that this machine has
	@.ci/test-installs $(ARGS)

.PHONY: bench
bench: $(BENCH_VENV)/all.stamp $(BENCH_VENV)/boardgame.stamp $(BENCH_VENV)/engine.stamp $(VENV)/browser.stamp ## measure the speed, next to comparable programs (in .venv-bench)
	@ln -sfn ../$(BROWSER) $(BENCH_VENV)/browser
	@$(BENCH_VENV)/bin/python -m bench $(ARGS)

.PHONY: siege
siege: $(VENV)/run.stamp $(VENV)/engine.stamp $(VENV)/self.stamp ## attack a running service, and measure what that costs its players (12 minutes)
	@$(BIN)/python -m bench.siege $(ARGS)

.PHONY: siege-peers
siege-peers: $(BENCH_VENV)/all.stamp $(BENCH_VENV)/engine.stamp ## open and close connections in loops on this server, granian and nginx in turn (needs nginx)
	@$(BENCH_VENV)/bin/python -m bench.siege.peers $(ARGS)

.PHONY: page
page: install ## count the clicks and keys of whole games in a browser, and write the tables of docs/page.md
	@$(BIN)/python -m bench.page $(ARGS)

##@ Installing

.PHONY: install
install: $(VENV)/dev.stamp $(VENV)/engine.stamp $(VENV)/self.stamp $(VENV)/browser.stamp ## install what running and checking need into .venv

.PHONY: lock
lock: $(LOCK_VENV)/all.stamp ## write requirements/*.txt from pyproject.toml (ARGS=--upgrade for newer versions)
	@requirements/lock.sh $(LOCK_VENV)/bin/uv $(ARGS)

.PHONY: clean
clean: ## remove everything that make has created here (never the data of a service)
	@rm -rf $(VENV) $(BENCH_VENV) $(LOCK_VENV) build dist ./*.egg-info
	@rm -rf .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +

.PHONY: help
help: ## show this list
	@awk 'BEGIN {FS = ":.*## "} \
	    /^##@ / {printf "\n%s\n", substr($$0, 5)} \
	    /^[a-z-]+:.*## / {printf "  make %-14s %s\n", $$1, $$2}' Makefile

# requirements/python.sh finds an interpreter that Cartulary supports.
%/python.stamp:
	@rm -rf $* && python="$$(requirements/python.sh $(PYTHON))" && "$$python" -m venv $* && touch $@

# Two calls of pip, because the checkout itself has no hash: the first installs the locked packages and checks every
# file against its hash; the second installs the project without dependencies, with the setuptools of the first.
pip_locked = "$(1)"/bin/python -m pip install -qq --require-hashes -r $(2) \
    || { requirements/explain.sh "$(1)" >&2; exit 1; }
pip_self = "$(1)"/bin/python -m pip install -qq --no-deps --no-build-isolation --no-index -e .

$(VENV)/run.stamp: requirements/run.txt | $(VENV)/python.stamp
	$(call print,installing the locked dependencies into $(VENV) ...)
	@$(call pip_locked,$(VENV),$<)
	@touch $@

# dev.txt contains everything in run.txt, in the same versions.
$(VENV)/dev.stamp: requirements/dev.txt requirements/run.txt | $(VENV)/python.stamp
	$(call print,installing the locked dependencies and the tools into $(VENV) ...)
	@$(call pip_locked,$(VENV),$<)
	@touch $(VENV)/run.stamp $@

$(VENV)/engine.stamp: requirements/engine.txt | $(VENV)/run.stamp
	@requirements/install-engine.sh $(VENV)
	@touch $@

# npm checks every file against its hash, and the packages run no scripts while they are installed. The cache of npm
# is of no use once the packages are installed, so nothing is left in the folder of the user.
$(VENV)/browser.stamp: tests/browser/package.json tests/browser/package-lock.json tests/browser/unpack_chromium.py | $(VENV)/dev.stamp
	@if [ -x $(BIN)/npm ]; then \
	    printf '\033[1m%s\033[0m\n' "installing a browser, and what checks scripts, into $(BROWSER) ..." >&2; \
	    mkdir -p $(BROWSER); \
	    cp tests/browser/package.json tests/browser/package-lock.json $(BROWSER); \
	    $(BIN)/npm ci --prefix $(BROWSER) --cache $(BROWSER)/cache --ignore-scripts --no-audit --no-fund --loglevel=error >/dev/null; \
	    rm -rf $(BROWSER)/cache; \
	    $(BIN)/python tests/browser/unpack_chromium.py $(BROWSER); \
	else \
	    echo "There is no Node for this machine: the browser tests and the checks of scripts will be skipped." >&2; \
	fi
	@touch $@

$(VENV)/self.stamp: pyproject.toml $(wildcard replay/language/catalogues/*/LC_MESSAGES/*.po) | $(VENV)/run.stamp
	@$(call pip_self,$(VENV))
	@touch $@

$(BENCH_VENV)/all.stamp: requirements/bench.txt pyproject.toml | $(BENCH_VENV)/python.stamp
	$(call print,installing the programs to compare with into $(BENCH_VENV) ...)
	@$(call pip_locked,$(BENCH_VENV),$<)
	@$(call pip_self,$(BENCH_VENV))
	@touch $@

# npm checks every file against its hash, and the packages run no scripts while they are installed.
$(BENCH_VENV)/boardgame.stamp: bench/boardgame/package.json bench/boardgame/package-lock.json | $(BENCH_VENV)/all.stamp
	$(call print,installing boardgame.io into $(BENCH_VENV)/boardgame ...)
	@mkdir -p $(BENCH_VENV)/boardgame && cp $^ $(BENCH_VENV)/boardgame
	@$(BENCH_VENV)/bin/npm ci --prefix $(BENCH_VENV)/boardgame --ignore-scripts --no-audit --no-fund --loglevel=error
	@touch $@

$(BENCH_VENV)/engine.stamp: requirements/engine.txt | $(BENCH_VENV)/all.stamp
	@requirements/install-engine.sh $(BENCH_VENV)
	@touch $@

$(LOCK_VENV)/all.stamp: requirements/lock.txt | $(LOCK_VENV)/python.stamp
	@$(call pip_locked,$(LOCK_VENV),$<)
	@touch $@
