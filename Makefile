# culprit's build: meson and ninja do the work, scripts/setup installs what they need.
PREFIX ?= /usr/local
BUILD ?= build

# The version of LLVM to build with: 19 or later.
LLVM ?= 19
export LLVM

# Whether warnings end the build, for a build directory that is made anew.
WERROR ?= false

all: $(BUILD)/.ready
	@test -e $(BUILD)/build.ninja || CC=$${CC:-gcc} CC_LD=$${CC_LD:-lld} meson setup $(BUILD) --prefix=$(PREFIX) -Dllvm=$(LLVM) -Dwerror=$(WERROR) >$(BUILD)/setup.log || { cat $(BUILD)/setup.log; exit 1; }
	@ninja -C $(BUILD) --quiet

# A separate stamp: if build.ninja were touched, ninja would not notice that a meson.build is newer.
$(BUILD)/.ready: scripts/packages.txt npm/package-lock.json
	@scripts/setup build
	@mkdir -p $(BUILD) && touch $@

test: 
	@scripts/setup build test
	@$(MAKE) --no-print-directory all
	@scripts/test $(BUILD)

# Every command in careless hands, and the tasks of docs/TASKS.md: up to an hour.
test-long:
	@scripts/setup build test
	@$(MAKE) --no-print-directory all
	@scripts/test $(BUILD) --suite long

hostile:
	@scripts/setup build test
	@scripts/hostile

fuzz:
	@scripts/setup build test
	@scripts/fuzz

lint: 
	@scripts/setup build test lint
	@$(MAKE) --no-print-directory all WERROR=true
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

# What README shows is what these commands print.
examples:
	@scripts/setup build test demo
	@$(MAKE) --no-print-directory all
	@scripts/examples

# A source archive that holds the pinned grammars: building from it needs no npm.
dist:
	@scripts/setup build
	@scripts/dist

deb:
	@scripts/setup build deb
	@scripts/deb

# From nothing, in a fresh Debian: ROOTS="bookworm sid", as root, with debootstrap.
clean-room:
	@tests/clean-room $(ROOTS)

help:
	@printf '%s\n' \
	  'make            build/culprit and everything that goes with it' \
	  'make test       all tests' \
	  'make test-long  every command in careless hands, and the tasks of docs/TASKS.md' \
	  'make lint       all static checks' \
	  'make hostile    the tests under sanitizers, with an allocator that fails' \
	  'make fuzz       libFuzzer on every reader of foreign bytes (TIME=SECONDS each)' \
	  'make analyse    the path-sensitive analyser over all sources' \
	  'make metrics    sizes of functions, files and folders, and what is over its goal' \
	  'make examples   what README shows, run again and compared' \
	  'make demo       the four stages on real compilers, in ten minutes' \
	  'make bench-X    a benchmark; exits with 1 when a goal is missed:' \
	  "$$(ls bench | tr '\n' ' ' | fold -sw 76 | sed 's/^/                  /')" \
	  'make install    PREFIX=/usr/local, DESTDIR=' \
	  'make dist deb   a source archive; a Debian package made from it' \
	  'make clean-room build and test from nothing in a fresh Debian (ROOTS="bookworm sid")' \
	  'make clean      removes build directories' \
	  'Options: BUILD=build, LLVM=19 (or later), CC, CC_LD'

install: all
	@meson configure $(BUILD) --prefix=$(PREFIX)
	@meson install -C $(BUILD) --quiet

clean:
	rm -rf build build-*

.PHONY: all test test-long hostile fuzz lint analyse metrics demo examples dist deb clean-room help install clean
