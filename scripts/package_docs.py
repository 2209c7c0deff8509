#!/usr/bin/env python3
"""Copies the pages of a package: scripts/package_docs.py FOLDER. Pictures stay out, and links that lead to what is not
copied become plain text."""

import os
import re
import sys
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")), *sorted((ROOT / "docs/guide").glob("*.md"))]
LINK = re.compile(r"\[([^\]]*)\]\(([^)#\s]*)(#[^)]*)?\)")


def page(source: Path) -> str:
    text = re.sub(r"(?m)^[ \t]*!\[[^\]]*\]\([^)]*\)\n*", "", source.read_text(encoding="utf-8"))

    def link(found: re.Match) -> str:
        words, target, _ = found.groups()
        is_elsewhere = not target or ":" in target
        leads_to = Path(os.path.normpath(source.parent / target))
        return found[0] if is_elsewhere or leads_to in PAGES else words

    return LINK.sub(link, text)


def main() -> None:
    for source in PAGES:
        copy = Path(sys.argv[1]) / source.relative_to(ROOT)
        copy.parent.mkdir(parents=True, exist_ok=True)
        copy.write_text(page(source), encoding="utf-8")


main()
