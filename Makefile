# Two commands set everything up by themselves: `make demo` and `make test`.
PYTHON ?= python3
BIN := .venv/bin

.PHONY: demo test test-systems check format sample lock clean

demo: .venv/.ready
	$(BIN)/groupmem run sample --system groupmem --system bm25 --system bm25-stemmed --system dense --system hybrid --system oracle --system abstain

test: check
	$(BIN)/pytest -n 2 --dist loadgroup

# Every adapter that is installed (groupmem systems install NAME), held to the contract; docs/systems-tested.md keeps the result.
test-systems: .venv/.ready
	$(BIN)/pytest tests/contract/test_isolated_systems.py tests/contract/test_adapters_from_git.py tests/contract/test_graph_agent.py --installed --tested docs/systems-tested.md

check: .venv/.ready
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy
	$(BIN)/lint-imports

format: .venv/.ready
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

# The bundled conversation and its questions, made again; a test compares.
sample: .venv/.ready
	$(BIN)/python tools/make_sample.py

# The environment is made again when the lock or the package's own metadata changes.
.venv/.ready: requirements.lock pyproject.toml
	@$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 11))' || { echo "groupmem needs Python 3.11 or later; say make PYTHON=python3.11"; exit 1; }
	$(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --require-hashes -r requirements.lock
	$(BIN)/python -m pip install --quiet --disable-pip-version-check --no-deps --no-build-isolation -e .
	@touch $@

# Needs uv on the path; everybody else installs what it wrote.
lock:
	uv pip compile pyproject.toml --group dev --generate-hashes --universal --python-version 3.11 --no-header -o requirements.lock

clean:
	rm -rf .venv
