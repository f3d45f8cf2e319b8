"""What an installation puts where, as a whole and for each package; that its units name what is there.

    python3 -B tests/packages/installation_test.py BUILD_FOLDER [unittest option...]"""
import gzip
import os
import re
import subprocess
import sys
import tempfile
import unittest
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parents[1] / "integration"))
import skipped  # noqa: E402

BUILD = Path(sys.argv.pop(1)).resolve() if len(sys.argv) > 1 else Path("build").resolve()
COMPONENTS = {
    "broker": {"usr/bin/lease-broker", "usr/lib/systemd/system/lease-broker.service",
               "usr/lib/systemd/system/leasehold-backup.service",
               "usr/lib/systemd/system/leasehold-backup.timer",
               "usr/lib/sysusers.d/leasehold-broker.conf", "etc/leasehold/broker.toml"},
    "agent": {"usr/bin/lease-agent", "usr/lib/systemd/system/lease-agent.service",
              "usr/lib/sysusers.d/leasehold-agent.conf"},
    "leasectl": {"usr/bin/leasectl", "usr/share/bash-completion/completions/leasectl",
                 "usr/share/zsh/vendor-completions/_leasectl",
                 "usr/share/fish/vendor_completions.d/leasectl.fish"}}
PAGES = {"broker": ["man8/lease-broker.8", "man5/lease-broker.toml.5"],
         "agent": ["man8/lease-agent.8", "man5/lease-agent.toml.5"], "leasectl": ["man1/leasectl.1"]}


def install(folder: str, *words: str, prefix: str = "/usr") -> set[str]:
    """Files, from the root."""
    subprocess.run(["cmake", "--install", BUILD, "--prefix", prefix, *words], check=True,
                   stdout=subprocess.DEVNULL, env={**os.environ, "DESTDIR": folder})
    return {str(path.relative_to(folder)) for path in Path(folder).rglob("*") if path.is_file()}


class AnInstallation(unittest.TestCase):
    def setUp(self) -> None:
        held = tempfile.TemporaryDirectory()
        self.addCleanup(held.cleanup)
        self.folder = held.name

    def text(self, path: str) -> str:
        return (Path(self.folder) / path).read_text()

    def test_of_each_package_has_its_own_files_and_none_of_another(self) -> None:
        for component, files in COMPONENTS.items():
            with self.subTest(component), tempfile.TemporaryDirectory() as folder:
                found = install(folder, "--component", component)
                self.assertLessEqual(files, found)
                for other, theirs in COMPONENTS.items():
                    if other != component:
                        self.assertFalse(theirs & found)

    @unittest.skipUnless((BUILD / "man").is_dir(), "help2man or lowdown is not installed: scripts/install-packages")
    def test_has_a_page_of_the_manual_for_each_program_and_file(self) -> None:
        found = install(self.folder)
        for pages in PAGES.values():
            for page in pages:
                self.assertIn(f"usr/share/man/{page}.gz", found)
        for page, word in (("man1/leasectl.1", "--what-if"),
                           ("man5/lease-broker.toml.5", "reclaim_delay"),
                           ("man5/lease-agent.toml.5", "report_interval"),
                           ("man8/lease-broker.8", "--check-config"),
                           ("man8/lease-agent.8", "--probe")):
            with gzip.open(Path(self.folder) / f"usr/share/man/{page}.gz", "rt") as text:
                self.assertIn(word, text.read().replace("\\", ""))

    @unittest.skipUnless((BUILD / "broker/guide/site").is_dir(), "lowdown is not installed: scripts/install-packages")
    def test_has_the_guide_as_pages_to_read_in_a_browser(self) -> None:
        found = install(self.folder, "--component", "broker")
        for page in ("index.html", "is-it-for-my-site.html", "site.css"):
            self.assertIn(f"usr/share/doc/leasehold/{page}", found)

    def test_elsewhere_has_units_that_start_what_is_there(self) -> None:
        found = install(self.folder, prefix="/opt/x")
        for daemon in ("broker", "agent"):
            unit = self.text(f"opt/x/lib/systemd/system/lease-{daemon}.service")
            started = re.findall(r"^ExecStart(?:Pre)?=(\S+)", unit, re.M)
            self.assertEqual(set(started), {f"/opt/x/bin/lease-{daemon}"})
            self.assertIn(f"opt/x/bin/lease-{daemon}", found)
            self.assertIn(f"User=leasehold-{daemon}", unit)
            self.assertIn(f"u leasehold-{daemon} ", self.text(f"opt/x/lib/sysusers.d/leasehold-{daemon}.conf"))
        copies = self.text("opt/x/lib/systemd/system/leasehold-backup.service")
        self.assertIn("ExecStart=/opt/x/bin/leasectl backup ", copies)
        self.assertFalse([path for path in found if path.startswith("etc/")])


if __name__ == "__main__":
    skipped.main()
