"""The guide as a site of plain HTML: contents, previous and next; no script, nothing but its own files.

    make_site.py --sources                                  the files that it is made of, one a line
    make_site.py --lowdown PROGRAM --out FOLDER [--embed FILE.cpp]

Which pages there are, and in which order, README.md here says: the files that it links to. Links between
pages of the site go on working; of others the text stays. --embed writes embedded_guide(), which is
broker/ports/http/embedded/page_files.hpp's, so that a broker serves the same files.
"""
import argparse
import gzip
import hashlib
import html
import os
import re
import shutil
import subprocess
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parents[2]
HERE = ROOT / "broker/guide"
INDEX = HERE / "README.md"
STYLE = HERE / "site.css"
LINK = re.compile(r"\[[^\]]*\]\(([^)#:]+\.md)\)")
IMAGE = re.compile(r"!\[[^\]]*\]\(([^)#:]+)\)")
TYPES = {".html": "text/html; charset=utf-8", ".css": "text/css; charset=utf-8",
         ".svg": "image/svg+xml", ".png": "image/png"}


class Page(NamedTuple):
    source: Path
    file: str
    title: str
    section: str


def file_of(source: Path) -> str:
    """agent/workload/README.md is agent-workload.html; of the guide's own pages the name is enough."""
    if source == INDEX:
        return "index.html"
    path = source.relative_to(HERE) if source.parent == HERE else source.relative_to(ROOT)
    words = [each.lower() for each in path.with_suffix("").parts]
    if words[-1] == "readme" and len(words) > 1:
        words.pop()
    return "-".join(words) + ".html"


def title_of(source: Path) -> str:
    return re.search(r"^# (.*)$", source.read_text(), re.M)[1].replace("`", "")


def pages() -> list[Page]:
    found = {INDEX: Page(INDEX, file_of(INDEX), title_of(INDEX), "")}
    for part in re.split(r"^## ", INDEX.read_text(), flags=re.M)[1:]:
        section = part.splitlines()[0]
        for target in LINK.findall(part):
            source = (HERE / target).resolve()
            found.setdefault(source, Page(source, file_of(source), title_of(source), section))
    return list(found.values())


def images(site: list[Page]) -> list[Path]:
    found = {}
    for page in site:
        for target in IMAGE.findall(page.source.read_text()):
            found[(page.source.parent / target).resolve()] = None
    return list(found)


class Linker:
    """Where a link of a page leads to on the site."""

    def __init__(self, site: list[Page]) -> None:
        self.files = {page.source: page.file for page in site}
        self.titles = {page.file: page.title for page in site}
        self.files |= {image: image.name for image in images(site)}

    def target(self, page: Page, link: str) -> str | None:
        """None: it is no file of the site."""
        if re.match(r"[a-z]+:", link):
            return link
        path, _, anchor = link.partition("#")
        source = (page.source.parent / path).resolve() if path else page.source
        file = self.files.get(source) or self.files.get(source / "README.md")
        return file and file + (f"#{anchor}" if anchor else "")

    def link(self, page: Page, found: re.Match) -> str:
        target = self.target(page, html.unescape(found[1]))
        if not target:
            return found[2]
        file = target.partition("#")[0]
        named = self.titles.get(file) if found[2].endswith(".md") else None
        words = html.escape(named) if named else found[2]
        return f'<a href="{html.escape(target)}">{words}</a>'

    def named(self, found: re.Match) -> str:
        """A file that a text names by its path from the root: by the page's title."""
        file = self.files.get(ROOT / found[1])
        return f'<a href="{file}">{html.escape(self.titles[file])}</a>' if file else found[0]


def anchor_of(heading: str, taken: set[str]) -> str:
    """As the places where these files are read make it of a heading."""
    text = html.unescape(re.sub(r"<[^>]+>", "", heading)).lower()
    anchor = re.sub(r"[^\w\- ]", "", text).replace(" ", "-")
    numbered, number = anchor, 0
    while numbered in taken:
        number += 1
        numbered = f"{anchor}-{number}"
    taken.add(numbered)
    return numbered


def body_of(page: Page, linker: Linker, lowdown: str) -> str:
    text = re.sub(r"^<!--.*?-->\n", "", page.source.read_text(), flags=re.M | re.S)
    made = subprocess.run([lowdown, "-T", "html", "--out-no-smarty", "--parse-no-metadata",
                           "--parse-no-super", "--parse-no-footnotes", "--parse-no-deflists",
                           "--parse-no-ext-attrs"],
                          input=text, capture_output=True, text=True, check=True).stdout
    made = re.sub(r'<(th|td) style="text-align: (\w+)">', r'<\1 class="\2">', made)
    made = re.sub(r'<a href="([^"]*)">(.*?)</a>', lambda each: linker.link(page, each), made, flags=re.S)
    made = re.sub(r'(?<!">)<code>([\w./-]+\.md)</code>', linker.named, made)
    made = re.sub(r'<img src="([^"]*)"',
                  lambda each: f'<img src="{linker.target(page, each[1])}"', made)
    taken: set[str] = set()
    return re.sub(r'<h(\d) id="[^"]*">(.*?)</h\d>',
                  lambda each: f'<h{each[1]} id="{anchor_of(each[2], taken)}">{each[2]}</h{each[1]}>',
                  made, flags=re.S)


def contents(site: list[Page], shown: Page) -> str:
    rows, section = [], ""
    for page in site:
        if page.section != section:
            section = page.section
            rows.append(f"<h2>{html.escape(section)}</h2>")
        here = ' aria-current="page"' if page == shown else ""
        rows.append(f'<a href="{page.file}"{here}>{html.escape(page.title)}</a>')
    return "\n".join(rows)


def beside(site: list[Page], shown: Page) -> str:
    at = site.index(shown)
    links = []
    for rel, word, page in (("prev", "Previous", site[at - 1] if at else None),
                            ("next", "Next", site[at + 1] if at + 1 < len(site) else None)):
        if page:
            links.append(f'<a rel="{rel}" href="{page.file}">{word}: {html.escape(page.title)}</a>')
    return "\n".join(links)


def document(site: list[Page], page: Page, body: str) -> str:
    return f"""<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<title>{html.escape(page.title)} - Leasehold</title>
<link rel="stylesheet" href="{STYLE.name}">
</head>
<body>
<nav aria-label="Contents">
{contents(site, page)}
</nav>
<main>
{body}
<footer>
{beside(site, page)}
</footer>
</main>
</body>
</html>
"""


def make(lowdown: str, out: Path) -> list[Path]:
    """Whole, or as it was before."""
    new = out.with_name(out.name + ".new")
    shutil.rmtree(new, ignore_errors=True)
    new.mkdir(parents=True)
    site = pages()
    linker = Linker(site)
    for page in site:
        (new / page.file).write_text(document(site, page, body_of(page, linker, lowdown)))
    for other in [STYLE, *images(site)]:
        shutil.copyfile(other, new / other.name)
    shutil.rmtree(out, ignore_errors=True)
    os.rename(new, out)
    return sorted(out.iterdir())


def literal(data: bytes) -> str:
    """Octal, as a digit may follow; one literal a line keeps lines short."""
    lines = [data[at:at + 2048] for at in range(0, len(data), 2048)] or [b""]
    return "\n".join('    "' + "".join(f"\\{each:03o}" for each in line) + '"' for line in lines)


def embed(files: list[Path], out: Path) -> None:
    parts, rows = [], []
    for number, file in enumerate(files):
        data = file.read_bytes()
        packed = gzip.compress(data, 9, mtime=0)
        tag = hashlib.sha256(data).hexdigest()[:16]
        packs = len(packed) < len(data)
        parts += [f"constexpr char kBytes{number}[] =\n{literal(data)};",
                  f"constexpr char kGzip{number}[] =\n{literal(packed if packs else b'')};"]
        rows.append(f'    {{"{file.name}", "{TYPES[file.suffix]}", "\\"{tag}\\"", '
                    f"text(kBytes{number}), text(kGzip{number}), false}},")
    out.write_text(CODE.replace("PARTS", "\n".join(parts)).replace("ROWS", "\n".join(rows)))


CODE = """#include "broker/ports/http/embedded/page_files.hpp"

#include <cstddef>

namespace leasehold {

namespace {

PARTS

/// Without the zero at the end of a literal.
template <std::size_t size>
std::string_view text(const char (&bytes)[size]) {
  return {bytes, size - 1};
}

}  // namespace

std::span<const PageFile> embedded_guide() {
  static const PageFile files[] = {
ROWS
  };
  return files;
}

}  // namespace leasehold
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--sources", action="store_true")
    parser.add_argument("--lowdown", default="lowdown")
    parser.add_argument("--out", type=Path)
    parser.add_argument("--embed", type=Path)
    asked = parser.parse_args()
    if asked.sources:
        site = pages()
        print("\n".join(map(str, [*(page.source for page in site), *images(site), STYLE])))
        return
    files = make(asked.lowdown, asked.out)
    if asked.embed:
        embed(files, asked.embed)


if __name__ == "__main__":
    main()
