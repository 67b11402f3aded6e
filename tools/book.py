#!/usr/bin/env python3
"""Makes pages that link beyond `docs` into a book without dead links.

`tools/book.py` is a preprocessor of mdbook: it gets the book as JSON on stdin, and writes it to
stdout. Pages at the root of the repository, which SUMMARY.md lists, get a place in the book. A link
that leaves the book leads to the repository.

`tools/book.py check FOLDER` reads the HTML of a book, and fails on links that lead nowhere.
"""

import html
import json
import os
import re
import sys
from urllib.parse import unquote, urldefrag

ROOT = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
LINK = re.compile(r"\]\(([^)\s]+)\)")


def chapters(items):
    for item in items:
        if isinstance(item, dict) and (chapter := item.get("Chapter")):
            yield chapter
            yield from chapters(chapter["sub_items"])


def page(chapter):
    """Returns a chapter's page as a path from the root of the repository."""
    return os.path.normpath(os.path.join("docs", chapter["source_path"]))


def place(path):
    """Returns the place in the book of a page, by its path from the root."""
    if path == "docs/SUMMARY.md":
        return "toc.html"
    if path.startswith("docs/"):
        path = path.removeprefix("docs/")
        # mdbook makes an index of each README.md.
        return re.sub(r"(^|/)README\.md$", r"\1index.md", path)
    return "project/" + path.lower()


def rewritten(text, source, pages, repository):
    """Returns the text of a page with its links as they are in the book."""

    def link(match):
        target, anchor = urldefrag(match[1])
        if not target or ":" in target:
            return match[0]
        path = os.path.normpath(os.path.join(os.path.dirname(source), unquote(target)))
        if path in pages:
            target = os.path.relpath(place(path), os.path.dirname(place(source)))
        elif not path.startswith("docs/"):
            kind = "tree" if os.path.isdir(os.path.join(ROOT, path)) else "blob"
            target = f"{repository}/{kind}/main/{path}"
        return f"]({target}{'#' + anchor if anchor else ''})"

    lines, fenced = [], False
    for line in text.split("\n"):
        fenced ^= line.lstrip().startswith("```")
        lines.append(line if fenced or line.startswith("    ") else LINK.sub(link, line))
    return "\n".join(lines)


def preprocess():
    context, book = json.load(sys.stdin)
    repository = context["config"]["output"]["html"]["git-repository-url"]
    items = book.get("items", book.get("sections"))
    found = [chapter for chapter in chapters(items) if chapter["source_path"]]
    pages = {page(chapter) for chapter in found} | {"docs/SUMMARY.md"}
    for chapter in found:
        source = page(chapter)
        chapter["content"] = rewritten(chapter["content"], source, pages, repository)
        if not source.startswith("docs/"):
            chapter["path"] = place(source)
    json.dump(book, sys.stdout)


def check(folder):
    """Returns the links of a book's pages that lead to no file, or to no place in one."""
    pages = {}
    for base, _, names in os.walk(folder):
        for name in names:
            if name.endswith(".html") and name not in ("print.html", "toc.html", "404.html"):
                path = os.path.join(base, name)
                with open(path, encoding="utf-8") as file:
                    pages[path] = file.read()
    places = {path: set(re.findall(r'\bid="([^"]*)"', text)) for path, text in pages.items()}
    dead = []
    for path, text in sorted(pages.items()):
        for link in re.findall(r'\b(?:href|src)="([^"]*)"', text):
            target, anchor = urldefrag(html.unescape(link))
            if re.match(r"[a-z]+:", target):
                continue
            led = os.path.normpath(os.path.join(os.path.dirname(path), unquote(target))) if target else path
            if os.path.isdir(led):
                led = os.path.join(led, "index.html")
            if not os.path.isfile(led) or anchor and led in places and unquote(anchor) not in places[led]:
                dead.append(f"{os.path.relpath(path, folder)}: {html.unescape(link)}")
    return len(pages), dead


if sys.argv[1:2] == ["supports"]:
    sys.exit(0)
elif sys.argv[1:2] == ["check"]:
    count, dead = check(sys.argv[2])
    print("\n".join(dead) if dead else f"book.py: {count} pages, no dead link")
    sys.exit(1 if dead else 0)
else:
    preprocess()
