"""Build the documentation site: the guides of docs/ and a page for each public name.

python tools/site/build.py build/site           # index.html and the rest
"""

import argparse
import os
import shutil
import subprocess
import sys

import pictures
import reference

HERE = os.path.dirname(os.path.abspath(__file__))
DOCS = os.path.join(HERE, "..", "..", "docs")


def build(out: str) -> None:
    """Write the site to a folder; what Sphinx warns of is an error."""
    source = os.path.join(out, ".source")
    shutil.rmtree(source, ignore_errors=True)
    shutil.copytree(DOCS, source)
    names = reference.write(os.path.join(source, "api"))
    print(f"{names} public names, {pictures.write(source)} transforms of images")
    sphinx = [sys.executable, "-m", "sphinx", "-q", "-j", "2", "-W", "--keep-going", "-c", HERE]
    path = os.pathsep.join([HERE, os.environ.get("PYTHONPATH", "")])
    subprocess.run(
        [*sphinx, "-d", os.path.join(out, ".doctrees"), source, out],
        check=True,
        env={**os.environ, "PYTHONPATH": path},
    )


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("out", help="the folder of the site")
    build(parser.parse_args().out)
