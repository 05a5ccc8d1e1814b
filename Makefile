# `make run` starts the app, `make test` checks everything; each sets up what it needs first.
VENV := .venv
BIN := $(VENV)/bin
PORT ?= 8501

.PHONY: run test lint browser clean

run: $(VENV)/run-ready
	$(BIN)/streamlit run app.py --server.port $(PORT)

test: lint browser
	$(BIN)/python -m pytest -n 2 --dist loadscope

lint: $(VENV)/test-ready
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

browser: $(VENV)/test-ready
	sh tests/browser/ensure_browser.sh $(BIN)/playwright

$(BIN)/python:
	python3 -m venv $(VENV)

$(VENV)/run-ready: requirements.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements.txt
	touch $@

$(VENV)/test-ready: requirements-dev.txt requirements.txt pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet -r requirements-dev.txt
	touch $@

clean:
	rm -rf $(VENV)
