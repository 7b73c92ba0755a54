# culprit's build: meson and ninja do the work, scripts/setup installs what they need.
PREFIX ?= /usr/local
BUILD ?= build

all: $(BUILD)/.ready
	@test -e $(BUILD)/build.ninja || CC=$${CC:-gcc} CC_LD=$${CC_LD:-lld} meson setup $(BUILD) --prefix=$(PREFIX) >/dev/null
	@ninja -C $(BUILD) --quiet

# A file of its own: were build.ninja touched, ninja would not see that a meson.build is newer.
$(BUILD)/.ready: scripts/packages.txt npm/package-lock.json
	@scripts/setup build
	@mkdir -p $(BUILD) && touch $@

test: 
	@scripts/setup build test
	@$(MAKE) --no-print-directory all
	@scripts/test $(BUILD)

hostile:
	@scripts/setup build test
	@scripts/hostile

fuzz:
	@scripts/setup build test
	@scripts/fuzz

lint: 
	@scripts/setup build test lint
	@$(MAKE) --no-print-directory all
	@scripts/lint

# clang's path-sensitive analyser over all sources: slow, so not part of lint.
analyse:
	@scripts/setup build test lint
	@$(MAKE) --no-print-directory all
	@python3 scripts/each-source $(BUILD) $$(nproc) analyse

metrics:
	@scripts/metrics

demo:
	@scripts/setup build test demo
	@$(MAKE) --no-print-directory all
	@scripts/demo

bench-%: 
	@scripts/setup build test bench
	@$(MAKE) --no-print-directory all
	@bench/$*/run

install: all
	@meson configure $(BUILD) --prefix=$(PREFIX)
	@meson install -C $(BUILD) --quiet

clean:
	rm -rf build build-*

.PHONY: all test hostile fuzz lint analyse metrics demo install clean
