# make demo [MODE=graph|pynative]   build, install, train LeNet-5 on handwritten digits
# make test                         build, install, run every test
# make dev                          the developer's install: editable, with the tools; then edit and `make native`
# make native [SKIP="csrc/a.cc …"]  rebuild the native core, incrementally; SKIP leaves out files under repair
# make asan                         the same core under AddressSanitizer and UndefinedBehaviorSanitizer, and its tests
# make lint, make wheel, make clean
#
# Needs python3 >= 3.10 with venv, g++ >= 12 and make; everything else comes from PyPI into .venv.
PYTHON ?= python3
MODE ?= graph
VENV := .venv
PY := $(CURDIR)/$(VENV)/bin/python
BIN := $(CURDIR)/$(VENV)/bin
empty :=
space := $(empty) $(empty)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: demo test dev native asan lint wheel clean
.DELETE_ON_ERROR:

demo: $(VENV)/.dev
	$(PY) examples/lenet_digits/train.py --mode $(MODE)

dev: $(VENV)/.dev native

$(VENV)/bin/python:
	$(PYTHON) -c 'import sys; sys.exit(sys.version_info < (3, 10) and "minds needs Python 3.10 or newer")'
	$(PYTHON) -m venv $(VENV)

# The editable install builds the core in place, in build/native.
$(VENV)/.dev: $(VENV)/bin/python pyproject.toml setup.py
	$(PY) -m pip install -q --upgrade pip setuptools
	$(PY) -m pip install -q --group dev
	PATH="$(BIN):$$PATH" $(PY) -m pip install -q --no-build-isolation -e '.[demo]'
	touch $@

native: $(VENV)/bin/python
	@PATH="$(BIN):$$PATH" cmake -S . -B build/native -G Ninja -DPython_EXECUTABLE=$(PY) \
	  -DCMAKE_BUILD_TYPE=Release "-DMINDS_SKIP=$(subst $(space),;,$(strip $(SKIP)))" > build/configure.log 2>&1 \
	  || { cat build/configure.log; exit 1; }
	@PATH="$(BIN):$$PATH" ninja -C build/native -k 0 --quiet _core \
	  || { echo 'a broken file of someone else? make native SKIP="csrc/that/file.cc"'; exit 1; }
