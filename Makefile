# Every command a person types. Each target sets up what it needs: `make run` and `make test` work on a fresh machine.
VENV := .venv
BIN := $(VENV)/bin
# What running needs, and what everything else needs besides.
STAMP := $(VENV)/.installed
DEV := $(VENV)/.dev-installed
HUB := $(VENV)/.hub-installed
SHARED ?= ../shared
# Where the tables that bench-unseen renders are kept, and the Python that renders them and composes printings for
# train. If none is named, one is set up.
TABLES ?= ../tables-unseen
RENDERER ?=
ARGS ?=
HOW :=

BENCHES := bench-referee bench-roads bench-align bench-reading bench-disturbances bench-speed bench-evening bench-live bench-kills bench-plugs bench-powercut bench-soak bench-fuzz bench-attacks bench-web bench-renewed bench-proposals bench-setup bench-sections bench-hub bench-seating

# Not part of bench, as it renders for hours: printings that nobody has looked at (bench/README.md).
UNSEEN := bench-unseen

.PHONY: run hub test test-long check bench $(BENCHES) $(UNSEEN) bench-drawn bench-install bench-install-hub bench-hub-home
.PHONY: bench-guest bench-card image deb train screenshots messages lock clean

run: $(STAMP)
	$(BIN)/strada run $(if $(GAME),--game $(GAME)) $(ARGS)

# Many tables in one room: SQLite, Mosquitto, and three drawn tables that belong to it. Nothing to configure.
hub: $(HUB)
	$(BIN)/strada hub --drawn 3 $(ARGS)

# A file's tests stay together, so that what they share is made once. There is one worker a core, and one more, as some
# wait for the disk or a browser. Tests run in the order of their names: the last ones, those of the pages, are quick,
# so no worker is left alone with long ones. On pictures as small as ours, Numpy's threads would only wait for each
# other, at full speed. What Python compiles is kept, whatever the environment says: otherwise every companion that a
# test starts would compile itself again.
WORKERS := $(shell expr $$(nproc) + 1)
# Tests write to memory if there is plenty of it (in kB), so that nobody waits until a disk has it for good.
FREE_MEMORY := $(shell df -k --output=avail /dev/shm 2>/dev/null | tail -n 1)
IN_MEMORY := $(shell [ "$(FREE_MEMORY)" -gt 4000000 ] 2>/dev/null && [ -w /dev/shm ] && echo TMPDIR=/dev/shm)
PYTEST := env -u PYTHONDONTWRITEBYTECODE OMP_NUM_THREADS=1 $(IN_MEMORY) $(BIN)/python -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder

test: $(DEV)
	$(PYTEST) -m 'not long'

# Tests that take about a second or more each: whole games, many pages in a browser. CI runs these too.
test-long: $(DEV)
	$(PYTEST) -m long

check: $(DEV)
	$(BIN)/ruff check .
	$(BIN)/ruff format --check .
	$(BIN)/mypy

# Every bench target ends with one line of JSON: its figures.
bench: $(BENCHES)

# A static pattern, because make looks for no pattern rule for a phony target.
$(BENCHES) $(UNSEEN): bench-%: $(DEV)
	$(BIN)/python -m bench.$* --shared $(SHARED) $(HOW)

bench-reading: HOW := --both --drawn 4
bench-unseen: HOW := --tables $(TABLES) $(if $(RENDERER),--renderer $(RENDERER))

# Not part of bench, as it takes hours: tables with other art, lens and light, drawn for the occasion.
bench-drawn: $(DEV)
	$(BIN)/python -m bench.reading --shared $(SHARED) --table none --both --drawn 500

# Not part of bench, as it needs root and the network: installs in fresh Debian systems, and boots them.
bench-install: $(DEV)
	$(BIN)/python -m bench.install $(HOW)

bench-install-hub: $(DEV)
	$(BIN)/python -m bench.install_hub $(HOW)

# Not part of bench, as it installs a real Home Assistant, in build/home-assistant, with a newer Python than ours.
bench-hub-home: $(DEV)
	$(BIN)/python -m bench.hub_home $(HOW)

# Not part of bench, as it needs root and the network: our code on a kernel's pins and the real picamera2, in a guest.
bench-guest: $(DEV)
	$(BIN)/python -m bench.guest $(HOW)

# A card that a Raspberry Pi boots from (docs/image.md), and what boots it in qemu. Both need root and the network, and
# some time if arm64 is emulated.
IMAGE := build/strada-arm64.img

image:
	$(if $(filter 0,$(shell id -u)),,sudo) systemd/image/build.sh --out $(IMAGE) $(ARGS)

bench-card: $(DEV)
	$(BIN)/python -m bench.card --image $(IMAGE) $(HOW)

# The reader's learnt nets and the weights of trust, made again from scratch (docs/reader.md). No other target includes
# this, as it takes hours. What is in build/training is kept: an interrupted run goes on, and what was removed is made
# again. The nets never see the tables that trust is fitted to, nor the six shared ones. MINUTES=N learns for that long
# instead.
TRAIN := build/training
TORCH := $(VENV)/.training-installed
LEARN ?= $(SHARED)/tables-random $(if $(wildcard ../tables-learn/*/table.json),../tables-learn)
TRUST_TABLES ?= ../tables-unseen
# The rendered tables that no net learns from (bench/training/album.py), but trust may.
LEFT_OUT := 3,8,17,22,29,35,38,41
DRAWN ?= 24
# Seeds of crowded tables to render, and where they are kept. Without any it takes some hours less, but there are fewer
# cubes to learn from.
CROWDED ?= 600-699
CROWDED_TABLES ?= ../tables-crowded
COMPOSED ?= 42-999
# Printings of another hand, for the set-up alone.
OTHER_HAND ?= 1-150
STEPS ?= 12000
MINUTES ?=
# Tables in a step, and processes that prepare steps or compose printings: more of them with a GPU and its processors.
STEP_TABLES ?= 1
PROCESSES ?= 1
timed = @began=$$(date +%s); { $(1); } && echo "$(2): $$(( $$(date +%s) - began )) s"

train: $(TRAIN)/.trusted $(TRAIN)/.counting-on

$(TRAIN)/.crowded: | $(DEV)
	@mkdir -p $(@D)
	$(call timed,$(BIN)/python -m bench.training.crowded $(CROWDED) --tables $(CROWDED_TABLES) --shared $(SHARED) $(if $(RENDERER),--renderer $(RENDERER)),crowded tables)
	@touch $@

$(TRAIN)/patches/.cut: $(TRAIN)/.crowded | $(TORCH)
	$(call timed,$(BIN)/python -m bench.training.patches $(@D) --tables $(LEARN) --crowded $(CROWDED_TABLES) --drawn $(DRAWN),patches)
	@touch $@

# Drawn with a renderer's Python: the one that RENDERER names, or one that is set up in TABLES, as for bench-unseen.
COMPOSER := --shared $(SHARED) --tables $(TABLES) $(if $(RENDERER),--renderer $(RENDERER))

$(TRAIN)/patches/.composed: | $(DEV)
	$(call timed,$(BIN)/python -m bench.training.composed $(@D) --seeds $(COMPOSED) --processes $(PROCESSES) $(COMPOSER),composed printings)
	@touch $@

$(TRAIN)/nets.pt: $(TRAIN)/patches/.cut $(TRAIN)/patches/.composed
	$(call timed,$(BIN)/python -m bench.training.learn $(TRAIN)/patches --out $@ --checkpoints $(TRAIN) --tables $(STEP_TABLES) --processes $(PROCESSES) $(if $(MINUTES),--minutes $(MINUTES),--steps $(STEPS)),learning)

$(TRAIN)/moves/.made: $(TRAIN)/patches/.cut
	@mkdir -p $(@D)
	$(call timed,$(BIN)/python -m bench.training.moves $(@D) --albums $(TRAIN)/patches,moves in games)
	$(call timed,$(BIN)/python -m bench.training.moves $(@D) --seeds $(COMPOSED) --processes $(PROCESSES) $(COMPOSER),composed moves)
	@touch $@

$(TRAIN)/.exported: $(TRAIN)/nets.pt
	$(call timed,$(BIN)/python -m bench.training.export $< --out vision,export)
	@touch $@

# This net looks through the embedding, too.
$(TRAIN)/.counting-on: $(TRAIN)/.exported $(TRAIN)/moves/.made
	$(call timed,$(BIN)/python -m bench.training.counting_on $(TRAIN)/moves --out $(TRAIN)/counting-on.pt --to vision $(if $(MINUTES),--minutes $(MINUTES)),learning to count on)
	$(call timed,$(BIN)/python -m bench.training.counting_on $(TRAIN)/moves --out $(TRAIN)/counting-on.pt --to vision --begin --photographed 1 --rate 0.0005 --many 128 $(if $(MINUTES),--minutes $(MINUTES),--steps 4100),learning on from photographed moves)
	@touch $@

$(TRAIN)/.strips: $(TRAIN)/patches/.cut $(TRAIN)/patches/.composed
	$(call timed,$(BIN)/python -m bench.training.strips $(TRAIN)/patches --out vision --checkpoints $(TRAIN) $(if $(MINUTES),--minutes $(MINUTES)),learning along roads)
	@touch $@

# Only the set-up's net of kinds learns from these drawings: others are measured by them.
$(TRAIN)/other-hand/.composed: | $(DEV)
	@mkdir -p $(@D)
	$(call timed,$(BIN)/python -m bench.training.composed $(@D) --hand other --seeds $(OTHER_HAND) --processes $(PROCESSES) $(COMPOSER),printings of another hand)
	@touch $@

# What the set-up guesses with looks through the embedding.
$(TRAIN)/.kinds: $(TRAIN)/.exported $(TRAIN)/other-hand/.composed
	$(call timed,$(BIN)/python -m bench.training.grounds $(TRAIN)/patches --tables $(LEARN) --crowded $(CROWDED_TABLES),bare boards)
	$(call timed,$(BIN)/python -m bench.training.land $(TRAIN)/patches --out companion/setup,learning terrain and sites)
	$(call timed,$(BIN)/python -m bench.training.kinds $(TRAIN)/patches --other $(TRAIN)/other-hand --out companion/setup,learning kinds)
	$(call timed,$(BIN)/python -m bench.training.emptiness $(patsubst %/table.json,%,$(wildcard $(addsuffix /t*/table.json,$(LEARN)))) --fit,emptiness)
	$(call timed,$(BIN)/python -m bench.training.bareness $(TRAIN)/patches,bareness)
	@touch $@

# Examples that were read with other nets are not examples for these.
$(TRAIN)/.trusted: $(TRAIN)/.exported $(TRAIN)/.strips $(TRAIN)/.kinds
	@mkdir -p $(TRAIN)/examples
	@find $(TRAIN)/examples -name '*.npz' \( ! -newer $< -o ! -newer $(TRAIN)/.strips \) -delete
	$(call timed,$(BIN)/python -m bench.training.examples $(TRAIN)/examples --tables $(TRUST_TABLES) --seeds 1000-1049 --drawn 32 --first 40001,examples of trust)
	$(call timed,$(BIN)/python -m bench.training.examples $(TRAIN)/examples --tables $(SHARED)/tables-random --seeds $(LEFT_OUT),more of them)
	$(call timed,$(BIN)/python -m bench.training.fit $(TRAIN)/examples --out vision/trust.json,trust)
	@touch $@

$(TORCH): $(DEV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[train]'
	@touch $@

# Every page as a picture, in build/screenshots: a drawn game is played and viewed in Chromium.
screenshots: $(DEV)
	$(BIN)/python docs/screenshots.py --out build/screenshots

# Brings the catalogues up to date with the source; new messages wait for their translation.
EXTRACT := $(BIN)/pybabel -q extract --no-default-keywords -c NOTE: --strip-comments --no-location --no-wrap
UPDATE := $(BIN)/pybabel -q update -d companion/locale --ignore-obsolete --ignore-pot-creation-date --no-wrap

messages: $(DEV)
	mkdir -p build
	$(EXTRACT) -F babel.cfg -k Message:1,1t -k Message:1,2,2t -k Message:1,2,3t -o build/strada.pot .
	$(UPDATE) -i build/strada.pot -D strada
	$(EXTRACT) -F babel-pages.cfg -k _ -k gettext -k ngettext:1,2 -o build/pages.pot .
	$(UPDATE) -i build/pages.pot -D pages

# What root's pip may install, with hashes, and the list of it as CycloneDX (systemd/README.md). Versions stay as they
# are if possible; `make lock ARGS=--upgrade` takes the newest. Then it checks that each suite, by its Python, finds its
# wheels on each processor. Bookworm's C library is 2.36, and trixie's takes whatever that takes.
LOCKING := build/locking
LOCK := systemd/requirements.lock
HUB_LOCK := systemd/requirements-hub.lock
UV := $(LOCKING)/bin/uv --no-config --quiet pip
looked_for = $(UV) install --dry-run --target build/nowhere --python-version $(1) --python-platform $(2)-manylinux_2_36 \
	--require-hashes --only-binary :all: --no-deps -r $(LOCK)

lock: $(LOCKING)/.installed
	$(UV) compile pyproject.toml systemd/requirements.in -o $(LOCK) $(ARGS) --universal --python-version 3.11 \
		--generate-hashes --only-binary :all: --no-emit-package numpy --custom-compile-command 'make lock'
	$(UV) compile pyproject.toml systemd/requirements.in --extra hub -c $(LOCK) -o $(HUB_LOCK) $(ARGS) --universal \
		--python-version 3.11 --generate-hashes --only-binary :all: --no-emit-package numpy \
		--custom-compile-command 'make lock'
	$(call looked_for,3.11,x86_64)
	$(call looked_for,3.11,aarch64)
	$(call looked_for,3.13,x86_64)
	$(call looked_for,3.13,aarch64)
	$(LOCKING)/bin/cyclonedx-py requirements $(LOCK) --pyproject pyproject.toml --mc-type application \
		--output-reproducible --of JSON -o systemd/sbom.cdx.json

# A Debian package with everything in it (systemd/README.md). KEY=FILE signs it, ARCH=arm64 is for a Pi.
deb: $(DEV)
	PYTHONPATH=. $(BIN)/python systemd/deb/build.py $(if $(ARCH),--architecture $(ARCH)) $(if $(KEY),--key $(KEY))

$(LOCKING)/.installed: Makefile
	python3 -m venv $(LOCKING)
	$(LOCKING)/bin/pip install --quiet --disable-pip-version-check 'uv>=0.13,<0.14' 'cyclonedx-bom>=7.5,<8'
	touch $@

$(STAMP): pyproject.toml
	@python3 -c 'import sys; sys.exit(sys.version_info < (3, 11))' || \
		{ echo "strada: python3 is older than 3.11; install Python 3.11 or newer" >&2; exit 2; }
	@python3 -c 'import ensurepip, venv' 2>/dev/null || \
		{ echo "Installing python3-venv, which the set-up needs"; \
		  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq python3-venv; \
		  else sudo apt-get update -qq && sudo apt-get install -y -qq python3-venv; fi; }
	python3 -m venv --system-site-packages $(VENV)
	$(BIN)/pip install --quiet --disable-pip-version-check -e .
	touch $(STAMP)

$(HUB): $(STAMP)
	@command -v mosquitto >/dev/null || [ -x /usr/sbin/mosquitto ] || \
		{ echo "Installing mosquitto, which carries the hub's messages"; \
		  if [ "$$(id -u)" = 0 ]; then apt-get update -qq && apt-get install -y -qq mosquitto; \
		  else sudo apt-get update -qq && sudo apt-get install -y -qq mosquitto; fi; }
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[hub]'
	touch $(HUB)

$(DEV): $(STAMP)
	$(BIN)/pip install --quiet --disable-pip-version-check -e '.[dev,hub]'
	touch $(DEV)

clean:
	rm -rf $(VENV) build *.egg-info
