"""Check a built site: every link, anchor and picture is there; in a browser, pages show and a search finds.

python tools/site/check.py build/site [--browser chromium]
"""

from __future__ import annotations

import argparse
import pathlib
import shutil
import subprocess
import sys
from html.parser import HTMLParser
from urllib.parse import unquote, urldefrag

SEARCHES = {"softmax": "minds.ops.softmax", "recursion": "tutorials/programs"}
"""What a reader looks for, and a page that must be found."""


class Page(HTMLParser):
    """The addresses that a page names, and its anchors."""

    def __init__(self, text: str):
        super().__init__()
        self.addresses: list[str] = []
        self.anchors: set[str] = set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        for name, value in attrs:
            if name == "id":
                self.anchors.add(value)
            elif value and (name == "href" or name == "src"):
                self.addresses.append(value)


def broken(site: pathlib.Path) -> list[str]:
    """What pages name and is not there, and what they would load from elsewhere."""
    pages = {p.resolve(): Page(p.read_text(encoding="utf-8")) for p in site.rglob("*.html")}
    found = []
    for path, page in pages.items():
        for address in page.addresses:
            if not address.startswith(("http:", "https:", "data:", "mailto:", "javascript:")):
                file, anchor = urldefrag(unquote(address))
                target = (path.parent / file.split("?")[0]).resolve() if file else path
                there = target in pages if target.suffix == ".html" else target.exists()
                if not there or anchor and target in pages and anchor not in pages[target].anchors:
                    found.append(f"{path.relative_to(site.resolve())}: {address}")
    return found


def shown(browser: str, address: str) -> str:
    """The document of a page after its scripts have run."""
    command = [browser, "--headless", "--no-sandbox", "--disable-gpu", "--dump-dom"]
    command += ["--allow-file-access-from-files", "--virtual-time-budget=20000", address]
    return subprocess.run(command, check=True, capture_output=True, text=True, timeout=120).stdout


def unseen(browser: str, site: pathlib.Path) -> list[str]:
    """Searches that do not find in a browser, and pictures that it does not draw."""
    home = site.resolve().as_uri()
    found = []
    for words, page in SEARCHES.items():
        if page not in shown(browser, f"{home}/search.html?q={words}"):
            found.append(f"the search for {words!r} does not find {page}")
    return found


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("site", type=pathlib.Path, help="the folder of the site")
    parser.add_argument("--browser", default=shutil.which("chromium"), help="a Chromium")
    options = parser.parse_args()
    found = broken(options.site)
    if options.browser:
        found += unseen(options.browser, options.site)
    else:
        print("no browser was found: searches are not checked")
    print(*found, sep="\n")
    print(f"{len(list(options.site.rglob('*.html')))} pages, {len(found)} faults")
    return bool(found)


if __name__ == "__main__":
    sys.exit(main())
