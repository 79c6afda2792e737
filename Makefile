# The book, its tests and their environment. `make help` lists what can be made.
# All paths are relative, so that a checkout in a folder with spaces works too.

# A Python of your own choice: make PYTHON=/path/to/python3.12 book
PYTHON ?=
PORT ?= 8000
LAB_FLAGS ?=
REPRODUCE_FLAGS ?=
SUBMISSIONS ?=
COURSE ?= course
PRIVATE ?=
CHAPTERS ?=
EXAM_FLAGS ?=
FUZZ_FLAGS ?=
# To take newer versions when refreshing: make requirements UV_FLAGS=--upgrade
UV_FLAGS ?=
UV := 0.13.7

VENV := .venv/bin/python
BUILD := .venv/bin/jupyter-book build . -W -n --keep-going
# One process more than cores: some tests wait, for a browser or for a limit of time.
WORKERS = $(shell expr $$(getconf _NPROCESSORS_ONLN) + 1)
TEST = $(VENV) -m pytest -n $(WORKERS) --dist loadfile --no-loadscope-reorder
SHELL := /bin/sh
export HERE := $(CURDIR)
# Of the caller's shell, what would reach into the environment or the notebooks.
unexport PYTHONPATH PYTHONHOME MPLBACKEND
export PIP_USER := 0
export LENIENT_COURSE := $(COURSE)
export LENIENT_PRIVATE := $(PRIVATE)
export PIP_DISABLE_PIP_VERSION_CHECK := 1

.PHONY: book test check fuzz claims outputs reproduce assignments grade formgrader serve
.PHONY: notebooks lab-test pdf feedback report exam
.PHONY: requirements clean distclean help FORCE
.DEFAULT_GOAL := help
.DELETE_ON_ERROR:
.NOTPARALLEL:

help: ## list what can be made
	@sed -n 's/^\([a-z-]*\):.*## /make \1@/p' Makefile | \
	  while IFS=@ read -r name what; do printf '%-18s %s\n' "$$name" "$$what"; done

# The stamp says that the very sources now in the tree passed the strict build. After a
# failure all pages are read again, since Sphinx would pass over those that have not changed
# and so over what was wrong with them; what was run well stays cached.
book: .venv/.book ## build the book, and say where it is
	@if test -e _build/.strict; then all=; else all=--all; fi; \
	rm -f _build/.strict; $(BUILD) $$all
	@touch _build/.strict
	@echo
	@echo "The book is in _build/html/index.html; open it in a browser:"
	@$(VENV) -c 'import pathlib; \
	  print("  " + pathlib.Path("_build/html/index.html").resolve().as_uri())'

test: check claims book ## build the book, then run all tests and every notebook
	$(TEST) tests chapters --ignore=chapters/exercises -m "not claim" \
	  --nbval --nbval-current-env

check: .venv/.test ## lint, format and types of all code
	.venv/bin/ruff check --quiet
	.venv/bin/ruff format --check --quiet
	.venv/bin/mypy --no-error-summary

# Others: make fuzz FUZZ_FLAGS="--seed 2 --calls 1000"
fuzz: .venv/.test ## call every public name 25,000 times at random; a few minutes
	@cd tests && ../$(VENV) -m fuzz $(FUZZ_FLAGS)

# How the checks of the paper's statements end is a page of the book, so they come first.
claims: .venv/.test
	LENIENT_LEDGER=1 $(TEST) tests -m claim

# Some of them: make outputs CHAPTERS="3 11"
outputs: .venv/.book ## run the chapters and store their outputs (CHAPTERS="3 11")
	@$(VENV) -m lenient_book.outputs $(CHAPTERS)

# More: make reproduce REPRODUCE_FLAGS="--fraction 0.01 --scenario high"
reproduce: .venv/.book ## run all experiments at full size (again: what is left of them)
	$(VENV) -m lenient_book.experiments $(REPRODUCE_FLAGS)

assignments: .venv/.book ## write the students' notebooks (COURSE=folder PRIVATE=folder)
	@$(VENV) -W ignore -m classroom.assignments

# A teacher's own hidden tests: make assignments PRIVATE=folder, and the same for grade
grade: .venv/.book ## mark returned notebooks: make grade SUBMISSIONS=folder (and as above)
	@$(VENV) -W ignore -m classroom.grade $(if $(SUBMISSIONS),"$(SUBMISSIONS)")

feedback: .venv/.book ## a page for each student, packed for Moodle and others, and grades
	@$(VENV) -W ignore -m classroom.feedback

report: .venv/.book ## a page on the class, for the teacher, with what is much alike
	@$(VENV) -W ignore -m classroom.class_report

exam: .venv/.book ## a sheet from the bank in exam/, and questions for platforms
	@$(VENV) -W ignore -m classroom.exam $(EXAM_FLAGS)

formgrader: .venv/.book ## mark the open questions by hand, in the browser
	$(VENV) -W ignore -m classroom.marking_server $(LAB_FLAGS)

pdf: book .venv/.test ## print the whole book into _build/lenient-book.pdf
	@$(VENV) _ext/make_pdf.py

serve: book ## build the book and serve it on this machine (PORT=8000)
	@echo "The book is at http://127.0.0.1:$(PORT)/ (Ctrl-C ends it)"
	@$(VENV) -m http.server --bind 127.0.0.1 --directory _build/html $(PORT)

# Made from the chapters, which stay as they are; what the reader changes stays too. On a
# server: make notebooks LAB_FLAGS="--no-browser --ip=0.0.0.0". To edit the chapters
# themselves: .venv/bin/jupyter lab chapters
notebooks: .venv/.book ## open the chapters in JupyterLab, to work in them
	@$(VENV) -m lenient_book.reader
	@$(VENV) -m lenient_book.warm
	@JUPYTER_CONFIG_PATH="$$HERE/_jupyter" $(VENV) -m jupyterlab $(LAB_FLAGS) notebooks

lab-test: .venv/.test ## open, run and use every chapter in JupyterLab; half an hour
	LENIENT_LAB=all $(VENV) -m pytest -x tests/test_lab.py tests/test_alone.py

clean: ## remove the built book and its cached results
	rm -rf _build chapters/exercises/*.md

distclean: clean ## remove the environment and the tests' left-overs as well
	rm -rf .venv lenient.egg-info .pytest_cache .hypothesis
	find lenient lenient_book classroom tests _ext -name __pycache__ -exec rm -rf {} +

# ---- environment -------------------------------------------------------------------
# Sets $p to the first Python that will do, or says of each why it will not.
find_python = why=; found=; \
  for p in $(if $(PYTHON),"$(PYTHON)",python3 python3.14 python3.13 python3.12 python3.11); do \
    version=$$("$$p" -c 'import sys; print("%d.%d.%d" % sys.version_info[:3])' \
      2>/dev/null) || version=; \
    if [ -z "$$version" ]; then reason="cannot be run (not installed?)"; \
    elif ! "$$p" -c 'import sys; sys.exit(sys.version_info < (3, 11))'; then \
      reason="is Python $$version, too old"; \
    elif ! "$$p" -c 'import venv, ensurepip' 2>/dev/null; then \
      reason="is Python $$version without venv (Debian: apt install python3-venv)"; \
    else found=yes; break; fi; \
    why="$$why  $$p $$reason\n"; \
  done; \
  if [ -z "$$found" ]; then { \
    echo "This needs Python 3.11 or newer, with its venv module, and found none:"; \
    printf "%b" "$$why"; \
    echo "Install one, or point to one: make PYTHON=/path/to/python3 $(MAKECMDGOALS)"; \
  } >&2; exit 1; fi

# A stamp holds the place it was made for: an environment that was moved or copied
# along with the tree, or whose Python is gone, is made anew.
ifneq ("$(shell test -x $(VENV) && cat .venv/.book 2>/dev/null)","$(HERE)")
.venv/.book: FORCE
endif

# The files list every package, so pip need not look for more.
pip_install = $(VENV) -m pip install -qq --no-deps

# What IPython reads in its environment. A kernel's warnings go past the notebook to the
# terminal; each kernel warns that it talks to its client unencrypted, which neither Sphinx
# nor nbval can change, and which does not matter between two programs of one machine.
KERNELS := .venv/etc/ipython/ipython_kernel_config.json

# nbgrader's settings and the book's extensions import classroom/, which is no part of the
# package that others install. A .pth file lets the commands in .venv/bin find it too.
export define checkout_on_path
import os, pathlib, sysconfig
folder = pathlib.Path(sysconfig.get_path("purelib"))
(folder / "lenient-checkout.pth").write_text(os.getcwd())
endef

# Made from scratch whenever it changes: what is installed is what the files say. The
# stamp comes last, so an interrupted set-up starts again.
.venv/.book: requirements.txt pyproject.toml
	@$(find_python); \
	echo "Setting up .venv with $$p (Python $$version): a minute or two ..."; \
	"$$p" -m venv --clear .venv
	@$(pip_install) -r requirements.txt
	@$(pip_install) --no-build-isolation -e .
	@$(VENV) -c "$$checkout_on_path"
	@$(VENV) -m pip check
	@mkdir -p .venv/etc/ipython
	@printf '%s\n' '{"IPKernelApp": {"log_level": "ERROR"}}' > $(KERNELS)
	@printf '%s\n' "$$HERE" > $@

# Tools that the book does not need come on top; interrupted, all starts again.
.venv/.test: requirements-test.txt .venv/.book
	@echo "Adding the packages of $< ..."
	@mv .venv/.book .venv/.unfinished
	@$(pip_install) -r $<
	@$(VENV) -m pip check
	@mv .venv/.unfinished .venv/.book
	@touch $@

# ---- exact versions ----------------------------------------------------------------
# One answer for every system and every Python from 3.11 on. Pins that still fit stay.
compile = _build/uv/bin/uv pip compile -q --universal --python-version 3.11 \
  --fork-strategy fewest --no-header --annotation-style line $(UV_FLAGS)
head = { printf '%s\n' "\# $(1), with exact versions." \
  "\# Made from pyproject.toml by 'make requirements'. To take newer versions:" \
  "\# make requirements UV_FLAGS=--upgrade" ""; cat $(2); } > _build/pinned && \
  mv _build/pinned $(2)

requirements: _build/uv/bin/uv ## refresh requirements*.txt from pyproject.toml
	$(compile) pyproject.toml --extra book --group build --group jupyter \
	  --group classroom -o requirements.txt
	@$(call head,The book with its notebooks and assignments,requirements.txt)
	$(compile) --group test -c requirements.txt -o requirements-test.txt
	@$(call head,The test tools,requirements-test.txt)

_build/uv/bin/uv: Makefile
	@$(find_python); "$$p" -m venv --clear _build/uv
	@_build/uv/bin/python -m pip install -qq uv==$(UV)
	@touch $@
