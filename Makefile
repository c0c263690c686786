# The two commands a newcomer needs: `make demo` and `make test`. Both create .venv when it is missing.
PYTHON ?= python3
FAST := tests/model tests/system tests/systems tests/engine tests/impact tests/trajectory tests/cli tests/release
BIN := .venv/bin
STAMP := .venv/.installed
BENCH_STAMP := .venv/.installed-bench
DOCS_STAMP := .venv/.installed-docs
RELEASE_STAMP := .venv/.installed-release

.PHONY: demo test tests check fast-tests coverage lint style types docs links dist paper bench clean

demo: $(STAMP)
	$(BIN)/python examples/demo.py demo

# Types take one core half a minute, so they are checked while the tests run; what takes a second comes first.
test: $(STAMP) style
	$(MAKE) --no-print-directory -j 2 types tests

tests: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile --durations=25

# The fast lane for daily work, under two minutes: what breaks most often.
check: $(STAMP) style
	$(MAKE) --no-print-directory -j 2 types fast-tests

fast-tests: $(STAMP)
	$(BIN)/python -m pytest -n 2 --dist loadfile -q -m "not slow" $(FAST)

# Which lines and branches the tests reach, several times as long as `make test`, with Python 3.14 hardly longer than its tests
# in one process (sys.monitoring); then those of the kernels, as Python. One process: pytest-xdist kills workers that take more
# than 10 s to end, and what they have measured is lost. An empty cache: a model that comes from there runs no line of codegen.
# Tests that measure time may fail under it: what was reached is shown all the same.
coverage: $(STAMP)
	$(BIN)/python -m coverage erase
	rm -rf build/coverage
	-JOUNCE_CACHE=$(CURDIR)/build/coverage $(BIN)/python -m coverage run -m pytest -q
	$(BIN)/python -m coverage combine --quiet
	$(BIN)/python -m coverage report
	$(BIN)/python -m tools.coverage_table
	$(BIN)/python -m tools.kernel_coverage

lint: style types

style: $(STAMP)
	$(BIN)/ruff check .
	$(BIN)/ruff check --quiet --preview --select PLW1514 . # text in the encoding of the system, which differs
	$(BIN)/ruff format --check .
	$(BIN)/lint-imports

types: $(STAMP)
	$(BIN)/mypy

# The site, into build/docs: warnings are errors, nothing comes from a network.
docs: $(DOCS_STAMP)
	$(BIN)/python -m sphinx -b html -W --keep-going -q docs build/docs
	@echo "build/docs/index.html"

# Links to other servers, which need a network.
links: $(DOCS_STAMP)
	$(BIN)/python -m sphinx -b linkcheck -q docs build/links

# Wheel and source archive into dist/, checked, installed into empty environments and tried.
dist: $(RELEASE_STAMP)
	rm -rf dist
	$(BIN)/python -m build --outdir dist
	$(BIN)/python -m twine check --strict dist/*
	$(BIN)/check-wheel-contents dist/*.whl
	$(BIN)/python tools/try_distribution.py dist

# paper/paper.md into build/paper.pdf.
paper: $(RELEASE_STAMP)
	$(BIN)/python tools/build_paper.py

# Every page and picture of measurements beside other programs; times are worth what the machine is quiet.
bench: $(BENCH_STAMP)
	$(BIN)/python -m benchmarks.bench
	$(BIN)/python -m benchmarks.side_by_side
	$(BIN)/python -m benchmarks.smooth --peers --scipy
	$(BIN)/python -m benchmarks.work_precision --peers --scipy
	$(BIN)/python -m benchmarks.stiff_rest
	$(BIN)/python -m benchmarks.scaling
	$(BIN)/python -m benchmarks.many_runs
	$(BIN)/python -m benchmarks.ensemble_cost
	$(BIN)/python -m benchmarks.sweep_cost
	$(BIN)/python -m benchmarks.audit_cost
	$(BIN)/python -m benchmarks.cold_start

clean:
	rm -rf .venv demo build dist docs/gallery docs/reference .pytest_cache .mypy_cache .ruff_cache .import_linter_cache .hypothesis
	find . -name __pycache__ -type d -prune -exec rm -rf {} +

$(STAMP): pyproject.toml
	test -x $(BIN)/python || $(PYTHON) -m venv .venv
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --editable ".[dev]"
	touch $@

$(DOCS_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --editable ".[dev,docs]"
	touch $@

$(RELEASE_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --editable ".[dev,release]"
	touch $@

$(BENCH_STAMP): $(STAMP)
	$(BIN)/python -m pip install --quiet --editable ".[dev,bench]" || echo "some peers are not available here: benchmarking without them"
	touch $@
