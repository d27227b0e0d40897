# make run: see a race. make test: pass the tests. Nothing else needs doing first.
PYTHON ?= python3
PORT ?= 8000
BIN := .venv/bin
WORKERS ?= auto
PROBE_FILES := $(wildcard probes/library/*.yaml) $(filter-out %.ladder.yaml,$(wildcard ladder/library/*.yaml))

.PHONY: install run test lint format lock clean

install: .venv/.runtime

.venv/.runtime: requirements.txt
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11) and "Python 3.11 or newer is needed: make run PYTHON=python3.12")'
	@echo "Building .venv from requirements.txt (about a minute, once) …"
	@test -x $(BIN)/python || $(PYTHON) -m venv .venv
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.txt
	@touch $@

.venv/.dev: .venv/.runtime .ci/requirements-dev.txt
	@echo "Adding the test tools to .venv …"
	@$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r .ci/requirements-dev.txt
	@touch $@

run: install
	@PORT=$(PORT) $(BIN)/python manage.py serve --prepare

test: .venv/.dev
	$(BIN)/python -m probes.core check $(PROBE_FILES)
	$(BIN)/python -m pytest -n $(WORKERS) --dist loadgroup $(ARGS)

lint: .venv/.dev
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy .
	$(BIN)/lint-imports

format: .venv/.dev
	$(BIN)/ruff check --fix .
	$(BIN)/ruff format .

# Needs uv; the locks carry hashes and no addresses.
lock:
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url pyproject.toml -o requirements.txt
	uv pip compile -q --universal --python-version 3.11 --generate-hashes --no-emit-index-url --group dev -c requirements.txt pyproject.toml -o .ci/requirements-dev.txt

clean:
	rm -rf .venv .mypy_cache .ruff_cache .pytest_cache .hypothesis
