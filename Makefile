# The verbs of the tree. CI uses the same ones.

PYTHON ?= python3
BIN := .venv/bin
# rustup puts cargo here, also where no shell profile was read.
export PATH := $(PATH):$(HOME)/.cargo/bin
# One interpreter for every build of the binding, so that cargo need not start over.
export PYO3_PYTHON := $(CURDIR)/$(BIN)/python
PURE := --workspace --exclude dropcurve-py --locked

.DEFAULT_GOAL := help
.PHONY: help setup build studio site llvm-tools demo fuzz fuzz-short mutants miri audit test test-rust test-wasm test-python test-slow lint format tidy bench bench-matrix budget bits boxes-check agree record-linux studies friendliness regret docs clean

help: ## show this list
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  make %-12s %s\n", $$1, $$2 }' Makefile

setup: ## make .venv: the tools and the built core, as locked
	@command -v $(PYTHON) >/dev/null || { echo "set-up: $(PYTHON) not found: install Python 3.11 or newer"; exit 1; }
	@$(PYTHON) tools/bootstrap.py

# The same code without optimisation across crates, rebuilt in parts: the same bits, and seconds instead of minutes.
.PHONY: core
core: export CARGO_INCREMENTAL := 1
core: export CARGO_PROFILE_RELEASE_LTO := off
core: export CARGO_PROFILE_RELEASE_CODEGEN_UNITS := 16
core: ## after an edit in Rust: the core for .venv in seconds, the same results; the next make setup builds it as a release
	@test -x $(BIN)/python || $(MAKE) --no-print-directory setup
	@cargo build --release --locked --quiet -p dropcurve-py --target-dir target/quick
	@$(BIN)/python tools/place_core.py target/quick/release

build: setup llvm-tools ## build a wheel into dist/, as it is released
	@PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python tools/wheel.py dist

# Where a release is built: make release RELEASE=FOLDER ONLY=notes,wheel
RELEASE ?= dist/release
.PHONY: release
release: setup llvm-tools ## all of a release in dist/release: wheels, sdist, crates, C library, image file, checksums, changelog
	@PATH="$(CURDIR)/$(BIN):$$PATH" PYTHONPATH=tools $(BIN)/python tools/release.py $(RELEASE) $(if $(ONLY),--only $(ONLY))

# What tools/learn.py needs of the toolchain; where that cannot be had, it says so and builds plainly.
llvm-tools:
	@rustup component add llvm-tools >/dev/null 2>&1 || true

studio: setup ## the simulator as a page: the engine as WebAssembly, one folder; OFFLINE=FILE also as one HTML file
	@$(BIN)/python tools/studio.py $(if $(OFFLINE),--offline $(OFFLINE))

site: setup ## the documentation with search and versions, as a site in out/site; links checked, every page looked at in Chromium
	@uv=$$(command -v uv || ls .venv-boot/bin/uv .venv-boot/site/bin/uv 2>/dev/null | head -1); \
	  $$uv sync --locked --quiet --inexact --group site --no-install-project && $(BIN)/python tools/website.py && $(BIN)/python tools/look.py out/site

demo: setup ## find the right queue for a link; the answer here, a page in out/demo
	@$(BIN)/dropcurve tune --rate 100Mbit --rtt 20-200ms --flows 5-100 --buffer 1000pkts \
	  --goal "p95 delay < 15ms, max utilisation" --for linux --runs 1000 --out out/demo
	@echo "The page: out/demo/report.html"

# Two at a time until the Python tests, which use every core: set-up and the budget each build a program as one unit of
# code, which keeps one core busy.
test: ## everything CI asks for
	@$(MAKE) --no-print-directory --jobs=2 --output-sync=line setup test-rust budget lint test-wasm tidy
	@$(MAKE) --no-print-directory test-python
	@echo "make test: all passed (tidy, lint, Rust tests, wasm, Python tests, instructions)"

# Without make's flags, whose job server these programs cannot reach.
test-rust:
	@MAKEFLAGS= PROPTEST_RNG_SEED=1 cargo test $(PURE) --quiet
	@echo "Rust tests: passed"

test-wasm: setup ## the pure crates for wasm32, and the studio: no host import, the same results
	@MAKEFLAGS= $(BIN)/python tools/wasm.py
	@MAKEFLAGS= $(BIN)/python tools/studio.py

# A worker more than cores, since tests wait for the commands that they run.
test-python: setup
	@workers=$$($(BIN)/python -c "import os; print(1 + (os.cpu_count() or 1))"); \
	  PATH="$(CURDIR)/$(BIN):$$PATH" $(BIN)/python -m pytest -n $$workers --dist worksteal -m "not slow" -q
	@echo "Python tests: passed"

test-slow: setup ## the thorough forms of the statistical tests, and property tests of new draws
	@$(BIN)/python -m pytest -n auto -m slow -q
	@$(BIN)/python -m pytest -n auto -m "not slow" -q --hypothesis-profile="fresh draws" $$(grep -l "^from hypothesis" -r tests --include=*.py)
	@cargo test $(PURE) --quiet

# Events of the plain engine; a billion takes some hours.
FUZZ_EVENTS ?= 1e9
fuzz: ## random scenarios over every discipline and transport, in both engines; hours; FUZZ_EVENTS=1e9 SEED=1
	@cargo run --locked --quiet -p dropcurve-sim --example fuzz_runs -- $(FUZZ_EVENTS) $(or $(SEED),1)

fuzz-short: setup ## a minute for each target of what strangers send (tools/fuzz.py), and 20,000 frames; SECONDS=60
	@$(BIN)/python tools/fuzz.py --seconds $(or $(SECONDS),60)
	@PROPTEST_CASES=20000 cargo test --locked --quiet -p dropcurve-forward --test frames fuzzed::

# Laws (PIECE=codel, pie, red, cubic or sack): crate, files, and the tests that are to catch their mutants.
MUTANTS_codel := dropcurve-queue crates/queue/src/disciplines/codel/law.rs --lib codel
MUTANTS_pie := dropcurve-queue crates/queue/src/disciplines/pie/law.rs --lib pie
MUTANTS_red := dropcurve-queue crates/queue/src/disciplines/red/*.rs --lib red
MUTANTS_cubic := dropcurve-transport crates/transport/src/cc/cubic.rs --lib cubic
MUTANTS_sack := dropcurve-transport crates/transport/src/recovery/scoreboard.rs --lib --test dialogues
PIECE ?= codel pie red cubic sack
mutants: setup cargo-mutants ## mutation testing of laws (PIECE="codel pie red cubic sack"), all mutants in one build, and of Python
	@$(BIN)/python tools/mutants_rust.py $(PIECE)
	@$(BIN)/python tools/mutants.py --seconds 36000

.PHONY: cargo-mutants mutants-slow
cargo-mutants:
	@test -x target/tools/bin/cargo-mutants || cargo install --locked --quiet --root target/tools cargo-mutants

mutants-slow: setup cargo-mutants ## the mutants of one law (PIECE=codel) with a build for each; hours
	@CARGO_PROFILE_DEV_OPT_LEVEL=0 target/tools/bin/cargo-mutants mutants --output target -p $(word 1,$(MUTANTS_$(PIECE))) \
	  --file '$(word 2,$(MUTANTS_$(PIECE)))' --timeout 120 -- $(wordlist 3,9,$(MUTANTS_$(PIECE)))

miri: ## unit tests of the pure crates in Miri, and what it can run of forward; needs the nightly component miri
	@MIRIFLAGS=-Zmiri-disable-isolation cargo +nightly miri test --quiet -p dropcurve-units -p dropcurve-queue -p dropcurve-transport --lib -- --skip math::

audit: setup ## advisories, licences and sources of the dependencies; needs cargo-deny and pip-audit, and their databases
	@command -v cargo-deny >/dev/null || { echo "audit: cargo-deny is missing: cargo install cargo-deny"; exit 1; }
	@cargo deny --locked check
	@$(BIN)/python -m pip_audit --version >/dev/null 2>&1 || { echo "audit: pip-audit is missing: pip install pip-audit"; exit 1; }
	@$(BIN)/python tools/audit.py

lint: setup ## clippy, rustfmt, ruff and mypy
	@cargo fmt --version >/dev/null 2>&1 && cargo clippy --version >/dev/null 2>&1 \
	  || { echo "lint: rustfmt or clippy is missing: rustup component add rustfmt clippy"; exit 1; }
	@cargo fmt --all --check
	@cargo clippy --workspace --all-targets --locked --quiet -- -D warnings
	@$(BIN)/ruff format --check --quiet .
	@$(BIN)/ruff check --quiet .
	@$(BIN)/mypy --no-error-summary
	@echo "lint: clean"

format: setup ## rewrite the sources as lint wants them
	@cargo fmt --all
	@$(BIN)/ruff format --quiet .
	@$(BIN)/ruff check --fix --quiet .
	@$(BIN)/python tools/markdown.py

tidy: ## the form of the tree: layers, sizes, leftovers, links, registries
	@python=$(BIN)/python; [ -x $$python ] || python=$(PYTHON); $$python tools/tidy.py

bench: setup llvm-tools ## ns per packet, whole runs, compared with ns-2 and ns-3 where they are installed; instructions where valgrind is
	@cargo bench $(PURE) --exclude dropcurve-sim --bench "*"
	@$(BIN)/python tools/learn.py cargo bench -p dropcurve-sim --locked --bench "*"
	@$(BIN)/python tools/bench/peers.py
	@$(BIN)/python tools/bench/instructions.py

bench-matrix: ## instructions and ns of every queue with every sender; WRITE=1 also writes the data and the figure of docs/performance.md
	@$(PYTHON) tools/bench/matrix.py $(if $(WRITE),--write)

budget: ## fail where a fixed run needs 3 % more instructions than tools/bench/budget.json allows
	@$(PYTHON) tools/bench/instructions.py --check

bits: setup ## whether every shipped scenario, discipline and transport comes to the recorded bits
	@$(BIN)/python tools/bits.py

agree: setup ## how far from ns-2, ns-3, Linux and theory; LIVE=1 (or all) also runs those that are here
	@$(BIN)/python -m validation.agree --jobs 2 $(if $(LIVE),--live$(if $(filter all,$(LIVE)), all))

record-linux: setup ## record COUNT more pairs of queue and sender with a Linux kernel in virtual time (see validation/agree)
	@$(BIN)/python -m validation.agree.linux_matrix $(or $(COUNT),10)

studies: setup ## do the published studies again and write their pages
	@$(BIN)/dropcurve reproduce all --out out/studies
	@mkdir -p docs/studies/figures && cp out/studies/*.md out/studies/*.html docs/studies/ && cp out/studies/figures/*.svg docs/studies/figures/

friendliness: setup ## every transport against every other, and its page; some minutes
	@$(BIN)/python -m validation.friendliness --out out/friendliness
	@cp out/friendliness/friendliness.md docs/ && cp out/friendliness/figures/*.svg docs/figures/

regret: setup ## how far the answers of tune are from the best known, on drawn links, and its page; hours
	@$(BIN)/python -m validation.regret --out docs/guide/tuning-regret.md --runs out/regret

boxes-check: setup ## readers of box texts on configurations of others: CORPUS=FOLDER; exports against YANG models: YANG=FOLDER
	@test -n "$(CORPUS)$(YANG)" || { echo "boxes-check: give CORPUS=FOLDER with a configuration in each file, or YANG=FOLDER with the vendors' models"; exit 2; }
	@test -z "$(CORPUS)" || $(BIN)/python tools/boxes_check.py $(CORPUS)
	@test -z "$(YANG)" || $(BIN)/python tools/boxes_yang.py $(YANG)

docs: setup ## write tables, examples and figures of the docs again; the Rust API pages
	@UPDATE_PAGES=1 cargo test --locked --quiet -p dropcurve-queue --test pages
	@DROPCURVE_BLESS=1 cargo test --locked --quiet -p dropcurve-transport --test docs
	@DROPCURVE_BLESS=1 cargo test --locked --quiet -p dropcurve-sim --lib docs
	@$(BIN)/python tools/readme.py --write
	@$(BIN)/python -m validation.pages.lessons
	@$(BIN)/python -m validation.pages.figures
	@$(BIN)/python -m validation.pages.discipline_figures
	@$(BIN)/python -m validation.pages.transport_figures
	@RUSTDOCFLAGS="-D warnings" cargo doc $(PURE) --no-deps --quiet
	@echo "docs: docs/index.md; target/doc/queue/index.html"

clean: ## remove everything that was built
	@rm -rf target .venv .venv-boot dist build out .mypy_cache .pytest_cache .ruff_cache .hypothesis
	@rm -rf python/dropcurve/*.so python/dropcurve/studio_site python/dropcurve/_vendor
	@find . -name __pycache__ -type d -prune -exec rm -rf {} +
