# Thin: each target is one or two plain commands, which the README also lists for machines without make.
PYTHON ?= python3
RUN := .venv/bin/python

.DEFAULT_GOAL := help
.PHONY: help setup demo quick test test-slow test-cultures attack mutants diagnosis lint format fuzz bench contract results pytorch-tools zoo windows port-probes port-functions pybridge matrix torchsharp-inprocess refresh check-refresh pack clean

help: ## List the targets
	@awk -F ':.*## ' '/^[a-z-]+:.*## / {sub(/: make /, "\n                       make ", $$2); printf "  %-20s %s\n", $$1, $$2}' $(firstword $(MAKEFILE_LIST))

setup: ## Make .venv, find or install .NET, build; quick when nothing changed
	@$(PYTHON) tools/setup.py

demo: setup ## The main job: one pretrained model in PyTorch and in C#, one trace
	@$(RUN) -m bridge demo

quick: setup ## Lint and the tests of what has changed: make quick FILES="…", or what git says
	@$(RUN) tools/quick.py $(FILES)

test: setup ## All tests: xunit and pytest
	@status=0; \
	$(RUN) tools/sdk.py test || status=1; \
	$(RUN) -m pytest || status=1; \
	exit $$status

test-slow: setup ## The tests that take long
	@$(RUN) -m pytest -m slow

test-cultures: setup ## xunit where -1, 1.5, dates and the case of i are written otherwise; needs ICU
	@status=0; \
	for culture in sv-SE ar-SA tr-TR th-TH; do $(RUN) tools/sdk.py test --culture $$culture || status=1; done; \
	exit $$status

attack: setup ## Random attacks beside PyTorch: make attack SEED=1 CASES=10000, or one again: CASE=1:4711
	@PYTHONPATH=tools $(RUN) -m attack --seed $(or $(SEED),1) --cases $(or $(CASES),10000) $(if $(CASE),--case $(CASE)) $(if $(KIND),--kind "$(KIND)")

windows: setup ## Windows x64 under Wine: README's commands and the tests; what it downloads stays outside the checkout
	@PYTHONPATH=tools $(RUN) -m windows

mutants: setup ## Count the wrong runtimes that the corpus catches
	@status=0; \
	$(RUN) tools/mutants.py model || status=1; \
	$(RUN) tools/mutants.py ways || status=1; \
	$(RUN) tools/mutants.py csharp || status=1; \
	exit $$status

diagnosis: setup ## Plant mistakes in C# ports, and write what compare finds: make diagnosis SAMPLE=2 ONLY="eps Gpt"
	@PYTHONPATH=tools $(RUN) -m diagnosis --sample $(or $(SAMPLE),4) --seed $(or $(SEED),1) $(if $(ONLY),--only $(ONLY),--aside --page docs/diagnosis.md)

lint: setup ## ruff, mypy, dotnet format: check only
	@$(RUN) -m ruff check . && $(RUN) -m ruff format --check . && $(RUN) -m mypy && $(RUN) tools/sdk.py check-format

format: setup ## ruff and dotnet format: rewrite
	@$(RUN) -m ruff check --fix . && $(RUN) -m ruff format . && $(RUN) tools/sdk.py format

fuzz: setup ## Random hook programs on every runtime: make fuzz N=2000
	@$(RUN) -m bridge fuzz --count $(or $(N),2000)

bench: setup ## The benchmarks
	@$(RUN) benchmarks/harness.py

pytorch-tools: setup ## Run PyTorch's tools on C# models, and write docs/pytorch.md: make pytorch-tools CHECKS="…"
	@$(RUN) tools/pytorch.py $(CHECKS)

zoo: setup ## Port models that nobody wrote for us to C#: make zoo MODELS="families | transformers | timm | vgg11 …"
	@PYTHONPATH=tools $(RUN) tools/zoo.py $(MODELS) $(if $(RESULTS),--results $(RESULTS))

port-probes: setup ## Probe Python's semantics in C#: a table, right, refused and wrong: make port-probes PROBES="Walrus …"
	@$(RUN) tools/port_probes.py $(PROBES)

port-functions: setup ## Random functions in Python and, by port, in C#: make port-functions COUNT=20000 SEED=1 RESULTS=FILE
	@$(RUN) tools/port_functions.py --count $(or $(COUNT),20000) --seed $(or $(SEED),1) $(if $(RESULTS),--results $(RESULTS))

pybridge: setup ## Weights by TorchSharp.PyBridge, and damaged files: make pybridge STATES=2000 DAMAGED=500 SEED=1
	@$(RUN) tools/pybridge.py --states $(or $(STATES),2000) --damaged $(or $(DAMAGED),500) --seed $(or $(SEED),1)

matrix: setup ## The tests on other Pythons and torches, without an SDK: make matrix ROWS="3.13:newest 3.12:2.13.0"
	@$(RUN) tools/matrix.py $(ROWS) $(PYTHONS:%=--python=%)

torchsharp-inprocess: setup ## The tests of TorchSharp in Python's process, on older torches: make torchsharp-inprocess VERSION=2.11
	@$(RUN) tools/inprocess.py $(VERSION)

contract: setup ## Write docs/contract.md and docs/divergences.md from the contract's data
	@$(RUN) tools/contract.py write

results: setup ## Write docs/results and their page: what each runtime that runs here does of the contract
	@$(RUN) -m bridge conformance --results docs/results && $(RUN) -m hook_contract results docs/results -o docs/results.html

refresh: setup ## Write bridge/_dotnet and tests/_dotnet from the sources
	@$(RUN) tools/sdk.py refresh

check-refresh: setup ## Compare both with what the sources give, byte for byte
	@$(RUN) tools/sdk.py check-refresh

pack: setup ## Write the NuGet packages and the wheels to dist
	@$(RUN) tools/pack.py

clean: ## Remove everything that was built or installed in the checkout
	rm -rf .venv build dist demo.html *.egg-info .pytest_cache .mypy_cache .ruff_cache .hypothesis dotnet/artifacts
	find bridge hook-contract tests tools dotnet examples \( -name __pycache__ -o -name bin -o -name obj -o -name TestResults \) \
		-type d -prune -exec rm -rf {} +
