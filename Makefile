# Works on a machine that has only Python >= 3.11 with pip, git and make. The first run fetches
# packages; later runs need no network. Choose another interpreter with `make test PYTHON=python3.13`.
PYTHON ?= python3
VENV ?= .venv
BIN := $(VENV)/bin
STAMP := $(VENV)/.installed-$(shell cksum < pyproject.toml | cut -d' ' -f1)

.PHONY: demo test lint check clean

$(STAMP):
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "dream-mcp needs Python 3.11 or newer: make PYTHON=python3.12")'
	$(PYTHON) -m venv $(VENV)
	$(BIN)/python -m pip install --quiet --upgrade "pip>=25.1" hatchling editables
	$(BIN)/python -m pip install --quiet --no-build-isolation --editable . --group dev
	rm -f $(VENV)/.installed-*
	touch $@

demo: $(STAMP)
	$(BIN)/dream-mcp evaluate examples/report.md --pack examples/pack.zip --judge offline

test: $(STAMP)
	$(BIN)/python -m pytest -q

lint: $(STAMP)
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports --no-cache

check: lint test

clean:
	rm -rf $(VENV) build dist .mypy_cache .pytest_cache .ruff_cache .hypothesis
