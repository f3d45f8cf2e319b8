"""The guide as a site: every page of the guide is on it, every link and place leads somewhere, and a
browser needs nothing but its own files.

Run: python3 tests/tidy/guide_site_test.py. Skipped where lowdown is not installed.
"""
import html
import re
import shutil
import sys
import tempfile
import unittest
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
sys.path[:0] = [str(ROOT / "broker/guide"), str(ROOT / "tests/integration")]
import make_site  # noqa: E402
import skipped  # noqa: E402


@unittest.skipUnless(shutil.which("lowdown"), "lowdown is not installed: scripts/install-packages")
class Site(unittest.TestCase):
    @classmethod
    def setUpClass(cls) -> None:
        cls.folder = tempfile.TemporaryDirectory()
        cls.addClassCleanup(cls.folder.cleanup)
        out = Path(cls.folder.name) / "site"
        cls.files = {file.name: file for file in make_site.make("lowdown", out)}
        cls.pages = {name: file.read_text() for name, file in cls.files.items() if name.endswith(".html")}

    def test_has_every_page_of_the_guide_in_its_contents(self) -> None:
        for page in (ROOT / "broker/guide").glob("*.md"):
            name = "index.html" if page.name == "README.md" else page.stem + ".html"
            self.assertIn(name, self.pages)
            self.assertIn(f'<a href="{name}"', self.pages["index.html"])

    def test_goes_from_the_first_page_to_the_last_and_back(self) -> None:
        seen, name = [], "index.html"
        while name:
            seen.append(name)
            following = re.search(r'<a rel="next" href="([^"]+)"', self.pages[name])
            if following:
                self.assertIn(f'<a rel="prev" href="{name}"', self.pages[following[1]])
            name = following and following[1]
        self.assertEqual(sorted(seen), sorted(self.pages))

    def test_has_no_link_that_leads_nowhere(self) -> None:
        places = {name: set(re.findall(r'\bid="([^"]*)"', text)) for name, text in self.pages.items()}
        for name, text in self.pages.items():
            for link in re.findall(r'(?:href|src)="([^"]*)"', text):
                file, _, place = html.unescape(link).partition("#")
                if re.match("[a-z]+:", link):
                    continue
                with self.subTest(f"{name}: {link}"):
                    self.assertIn(file or name, self.files)
                    self.assertTrue(not place or place in places[file or name])

    def test_needs_nothing_that_the_broker_forbids_a_browser(self) -> None:
        for name, text in self.pages.items():
            with self.subTest(name):
                self.assertNotRegex(text, r"<script|<style|\bstyle=|<[^>]* on\w+=|src=\"\w+:|None\"")


class Anchors(unittest.TestCase):
    def test_are_those_of_the_places_where_the_files_are_read(self) -> None:
        taken: set[str] = set()
        for heading, anchor in (("Hosts that may not be split", "hosts-that-may-not-be-split"),
                                ("<code>lease_ttl</code>: alone &amp; far", "lease_ttl-alone--far"),
                                ("Backup, and back", "backup-and-back"), ("Backup, and back", "backup-and-back-1")):
            self.assertEqual(make_site.anchor_of(heading, taken), anchor)


if __name__ == "__main__":
    skipped.main()
