# The two commands a newcomer needs: `make demo` and `make test`. Both create .venv when it is missing.
PYTHON ?= python3
BIN := .venv/bin
STAMP := .venv/.installed
BENCH_STAMP := .venv/.installed-bench
DOCS_STAMP := .venv/.installed-docs

.PHONY: demo test lint docs bench clean

demo: $(STAMP)
	$(BIN)/python examples/demo.py demo

test: $(STAMP) lint
	$(BIN)/python -m pytest -n 2 --dist loadfile

lint: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	$(BIN)/lint-imports

# The site, into build/docs: warnings are errors, nothing comes from a network.
docs: $(DOCS_STAMP)
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs build/docs
	@echo "build/docs/index.html"

bench: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.bench

clean:
	rm -rf .venv demo build dist .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

$(DOCS_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --editable ".[dev,docs]"
	touch $@

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --editable ".[dev,bench]" || echo "heyoka is not available here: benchmarking without it"
	touch $@
