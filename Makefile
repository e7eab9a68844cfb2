# make demo [MODE=graph|pynative]   build, install, train LeNet-5 on handwritten digits
# make test [SLOW=1]                build, install, run the tests; of the sweeps a sample. SLOW: asan and wheel too
# make test-whole                   the same with all cases of the sweeps, and tsan
# make example NAME=resnet_cifar [ARGS=…]   another example
# make bench [PEERS="PYTHON …"]      minds beside the frameworks that those Pythons have, to docs/performance.md;
#                                   ARGS="--quick --to FOLDER": small cases, one round, elsewhere
# make dev                          the developer's install: editable, with tools; then edit and `make native`
# make native [SKIP="csrc/a.cc …"]  rebuild the native core, incrementally; SKIP leaves out files
# make test-cuda                    the CUDA plug-in on what stands in for a GPU; its kernels by the real compiler
# make asan                         the core under the address and undefined behaviour sanitizers; its tests
# make tsan                         the simulated device and its process under the thread sanitizer
# make docs                         the documentation site in build/site, checked; in a browser where Chromium is installed
# make wheel                        a wheel in dist/, checked in a fresh environment
# make lint, make clean
#
# Needs python3 >= 3.10 with venv, g++ >= 12 and make; everything else comes from PyPI into .venv.
PYTHON ?= python3
MODE ?= graph
VENV := .venv
BIN := $(CURDIR)/$(VENV)/bin
PY := $(BIN)/python
empty :=
space := $(empty) $(empty)
export PIP_DISABLE_PIP_VERSION_CHECK := 1
export PATH := $(BIN):$(PATH)
CONFIGURE = cmake -S . -G Ninja -DPython_EXECUTABLE=$(PY) -DCMAKE_MAKE_PROGRAM=$(BIN)/ninja

.PHONY: bench demo example test test-whole test-python test-native test-cuda test-docs dev native asan tsan docs lint wheel clean
.DELETE_ON_ERROR:

demo: dev
	$(PY) examples/lenet_digits/train.py --mode $(MODE)

example: dev
	$(PY) examples/$(NAME)/train.py $(ARGS)

bench: dev
	$(PY) benchmarks/suite/run.py --write $(foreach p,$(PEERS),--peer $(p)) $(ARGS)

# ---- building

dev: $(VENV)/.dev native

$(PY):
	$(PYTHON) -c 'import sys; sys.exit("Python 3.10 or newer" if sys.version_info < (3, 10) else 0)'
	$(PYTHON) -m venv $(VENV)

# The editable install builds the core in place, in build/native.
$(VENV)/.dev: pyproject.toml setup.py | $(PY)
	$(PY) -m pip install -q --upgrade pip
	$(PY) -m pip install -q --group dev
	$(PY) -m pip install -q --no-build-isolation -e '.[demo]'
	touch $@

native: | $(VENV)/.dev
	@mkdir -p build
	@$(CONFIGURE) -B build/native -DCMAKE_BUILD_TYPE=Release -DMINDS_TESTS=ON -DMINDS_OUTPUT=$(CURDIR)/minds \
	  "-DMINDS_SKIP=$(subst $(space),;,$(strip $(SKIP)))" > build/configure.log 2>&1 \
	  || { cat build/configure.log; exit 1; }
	@ninja -C build/native -k 0 --quiet _core minds_sim \
	  || { echo 'a file under repair? make native SKIP="csrc/that/file.cc"'; exit 1; }

# ---- testing

test: lint test-native test-python test-cuda test-docs $(if $(filter-out 0,$(SLOW)),asan wheel)
	@echo "all tests passed"

test-whole: export MINDS_WHOLE := 1
test-whole: test asan tsan wheel docs

test-python: dev
	$(PY) -m pytest -q -n 2 tests

test-native: native
	ninja -C build/native --quiet native_tests sim_tests
	build/native/tests/native/native_tests
	build/native/tests/sim/sim_tests
	@! nm -AC build/native/CMakeFiles/minds_cpu.dir/csrc/cpu/kernels/*_avx*.o | grep -E ' [WVu] ' \
	  || { echo 'inline functions compiled for AVX could be linked for every processor'; exit 1; }

# By default the ops and two networks; with MINDS_WHOLE all tests that compare a device with the CPU. Each text that
# they asked for is compiled by NVIDIA's compiler, of a sample for one architecture each.
CUDA := build/native/tests/sim/cuda
ifeq ($(filter-out 0,$(MINDS_WHOLE)),)
CUDA_TESTS := tests/sim/test_rows.py::test_compiled tests/sim/test_linear_algebra.py tests/sim/test_nets.py -k 'not resnet and not bert'
CUDA_RECORDS := --sample
CUDA_PROGRAM :=
else
CUDA_TESTS := tests/sim tests/kernels
CUDA_PROGRAM := $(PY) tools/gpu_check.py --simulated
endif
test-cuda: dev $(VENV)/.cuda-dev
	@rm -rf $(CUDA)/record
	$(PY) -m pytest -q -n 2 --device gpu $(CUDA_TESTS)
	$(PY) tests/sim/cuda/compile_records.py $(CUDA)/record $(CUDA_RECORDS) --table $(CUDA)/kernels.txt
	$(CUDA_PROGRAM)

$(VENV)/.cuda-dev: pyproject.toml | $(VENV)/.dev
	$(PY) -m pip install -q --group cuda-dev
	touch $@

test-docs: dev
	$(PY) -m pytest -q -n 2 --import-mode=prepend --doctest-modules minds

# The package again, with links to its Python files and a core of its own. LD_PRELOAD because Python itself is
# not instrumented (libstdc++ too: without it the first C++ exception ends the process). Python leaks by design.
ASAN := build/asan
ASAN_PACKAGE := $(CURDIR)/$(ASAN)/package
asan: export UBSAN_OPTIONS := print_stacktrace=1
asan: export MINDS_PLUGINS := $(CURDIR)/$(ASAN)/build/tests/sim
asan: export ASAN_OPTIONS := detect_leaks=0:allocator_may_return_null=1
asan: | $(VENV)/.dev
	@mkdir -p $(ASAN_PACKAGE)/minds
	@for f in minds/*; do case $$f in *.so|minds/lib|*/__pycache__) ;; \
	  *) ln -sfn $(CURDIR)/$$f $(ASAN_PACKAGE)/$$f ;; esac; done
	@$(CONFIGURE) -B $(ASAN)/build -DCMAKE_BUILD_TYPE=Debug -DMINDS_SANITIZE=address -DMINDS_TESTS=ON \
	  -DMINDS_OUTPUT=$(ASAN_PACKAGE)/minds > build/configure_asan.log 2>&1 \
	  || { cat build/configure_asan.log; exit 1; }
	@ninja -C $(ASAN)/build --quiet _core minds_sim native_tests sim_tests
	$(ASAN)/build/tests/native/native_tests
	$(ASAN)/build/tests/sim/sim_tests
	LD_PRELOAD="$$(g++ -print-file-name=libasan.so) $$(g++ -print-file-name=libstdc++.so)" \
	  PYTHONMALLOC=malloc PYTHONPATH=$(ASAN_PACKAGE) \
	  $(BIN)/pytest -q -n 2 -p no:cacheprovider -m native tests

# A race in the device process ends it, and with it the test.
TSAN := build/tsan
tsan: export TSAN_OPTIONS := halt_on_error=1
tsan: | $(VENV)/.dev
	@mkdir -p $(TSAN)/package
	@$(CONFIGURE) -B $(TSAN)/build -DCMAKE_BUILD_TYPE=Debug -DMINDS_SANITIZE=thread -DMINDS_TESTS=ON \
	  -DMINDS_OUTPUT=$(CURDIR)/$(TSAN)/package > build/configure_tsan.log 2>&1 \
	  || { cat build/configure_tsan.log; exit 1; }
	@ninja -C $(TSAN)/build --quiet sim_tests
	$(TSAN)/build/tests/sim/sim_tests

# ---- documentation

docs: dev $(VENV)/.docs
	$(PY) tools/site/build.py build/site
	$(PY) tools/site/check.py build/site

$(VENV)/.docs: pyproject.toml | $(VENV)/.dev
	$(PY) -m pip install -q --group docs
	touch $@

lint: | $(VENV)/.dev
	ruff check .
	ruff format --check .

# ---- packaging

# From the developer's objects, then installed into an environment of its own and imported there.
wheel: native
	rm -rf build/lib* build/bdist* build/wheel dist minds.egg-info/SOURCES.txt
	MINDS_BUILD=$(CURDIR)/build/native $(PY) -m pip wheel -q --no-deps --no-build-isolation -w dist .
	$(PY) tools/check_wheel.py dist/minds-*.whl

clean:
	rm -rf build dist *.egg-info minds/_core*.so minds/lib
