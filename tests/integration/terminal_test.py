"""leasectl as people and their scripts use it: filters, order, forms, width, times, the past."""
import csv
import io
from datetime import datetime, timezone

import one_site
from json_schemas_test import check
from on_terminal import on_terminal
from one_site import OnAMadeSite

HOSTILE = "x\u202etxt\u009b31m\u200b" + "y" * 300


class Tables(OnAMadeSite):
    def on_terminal(self, *words: str, **options) -> str:
        return on_terminal(*words, "--broker", self.site.control, **options)

    def lines(self, *words: str) -> list[str]:
        return self.site.order(*words).splitlines()

    def refused(self, code: int, *words: str) -> str:
        answer = self.site.ctl(*words)
        self.assertEqual(answer.returncode, code, answer.stdout + answer.stderr)
        return answer.stderr

    def test_are_filtered_by_the_broker(self) -> None:
        self.assertEqual(len(self.site.ask("leases", "--provider", "e*", "--phase", "active")), 1)
        self.assertEqual(self.site.ask("leases", "--phase", "drain*"), [])
        self.assertEqual(self.lines("clusters", "--cluster", "west", "--no-header", "-o",
                                    "cluster,remote"), ["west  east"])
        self.assertEqual(self.lines("hosts", "--host", "*@west", "-o", "name"), ["small1@west"])
        self.assertIn("did you mean 'east'?", self.refused(1, "leases", "--provider", "esat"))
        self.assertIn("did you mean 'active'?", self.refused(2, "leases", "--phase", "actve"))
        self.assertEqual(self.lines("leases", "--host", "big1", "-o", "name"), ["pool:west"])
        self.assertIn("these have: leases, hosts, policies", self.refused(2, "clusters", "--host", "big1"))

    def test_are_sorted_and_cut_to_fields(self) -> None:
        self.assertEqual(self.lines("hosts", "--sort", "-slots", "-o", "host,slots", "--no-header"),
                         ["big1    8", "small1  1"])
        self.assertEqual([row["host"] for row in self.site.ask("hosts", "--sort", "slots")],
                         ["small1", "big1"])
        self.assertIn("did you mean 'slots'?", self.refused(2, "hosts", "--sort", "slost"))
        self.assertIn("did you mean 'consumer_slots.used'?",
                      self.refused(2, "leases", "-o", "id,consumer_slots.usde"))

    def test_are_summed_up(self) -> None:
        self.assertTrue(self.site.order("leases", "--summary").startswith("1 row; slots 4, "))
        for table in ("clusters", "leases", "hosts", "policies", "groups", "consumers", "usage",
                      "compare"):
            summary = self.site.ask(table, "--summary")
            check("summary", summary)
            self.assertEqual(summary["rows"], len(self.site.ask(table)))

    def test_come_as_csv_and_names(self) -> None:
        for table in ("clusters", "leases", "hosts", "policies", "usage"):
            rows = list(csv.DictReader(io.StringIO(self.site.order(table, "-o", "csv"))))
            asked = self.site.ask(table)
            self.assertEqual(len(rows), len(asked), table)
            self.assertLessEqual({key for key in asked[0] if not isinstance(asked[0][key], dict)},
                                 set(rows[0]))
        (lease,) = csv.DictReader(io.StringIO(self.site.order("leases", "-o", "csv")))
        self.assertEqual(lease["consumer_slots.used"], "1")
        self.assertEqual(self.lines("clusters", "-o", "name"), ["east", "west"])
        self.assertEqual(self.site.ctl("leases", "-o", "json").stdout[0], "[")

    def test_fit_the_terminal_and_are_whole_elsewhere(self) -> None:
        for columns in (40, 60, 80):
            for line in self.on_terminal("leases", "--color", "never",
                                         columns=columns).splitlines():
                if not line.startswith("(no room for: "):
                    self.assertLessEqual(len(line), columns, line)
        narrow = self.on_terminal("leases")
        self.assertIn("(no room for: NEXT EVALUATION", narrow)
        self.assertIn("\033[", narrow)
        self.assertNotIn("\033[", self.on_terminal("leases", NO_COLOR="1"))
        self.assertNotIn("\033[", self.on_terminal("leases", "--color", "never"))
        whole = self.site.order("leases")
        self.assertIn("NEXT EVALUATION", whole)
        self.assertNotIn("\033[", whole)
        self.assertIn("\033[", self.site.order("leases", "--color", "always"))
        self.assertIn("LAST FLIP", self.on_terminal("leases", "-o", "wide"))

    def test_of_the_past_are_there_for_every_question_and_says_what_it_does_not_know(self) -> None:
        site = self.site
        then = datetime.now(timezone.utc).isoformat(timespec="milliseconds")
        self.all_moved()
        site.order("freeze")
        for words in (("clusters",), ("hosts",), ("policies",), ("groups",), ("consumers",),
                      ("leases",), ("lease", "pool:west"), ("explain", "pool:west")):
            check(words[0], site.ask(*words, "--at", then))
        lease = site.ask("lease", "pool:west", "--at", then)
        self.assertEqual((lease["consumer_slots"]["available"], lease["frozen"]), (1, False))
        self.assertEqual([row["kind"] for row in lease["decisions"] if row["kind"] == "flip"], [])
        cluster = site.ask("clusters", "--cluster", "east", "--at", then)[0]
        self.assertEqual([cluster[key] for key in ("last_report", "clock_off_ms", "clock_off_error_ms",
                                                       "frozen")], [None, None, None, False])
        self.assertIsNone(site.ask("hosts", "--at", then)[0]["used"])
        self.assertIn("From the record", site.order("clusters", "--at", then))
        self.assertIn("From the record", site.order("explain", "pool:west", "--at", then))
        self.assertNotIn("From the record", site.order("clusters"))
        self.assertEqual(len(site.ask("leases", "--at", "now", "--phase", "active")), 1)
        early = site.ctl("leases", "--at", "yesterday")
        self.assertEqual(early.returncode, 1)
        self.assertIn("history begins at", early.stderr)
        self.assertEqual(site.ctl("freeze", "--until", "yesterday").returncode, 2)
        site.order("freeze", "--until", "23:59:59", "--timezone", "Pacific/Kiritimati")

    def test_with_texts_of_others_steer_no_terminal(self) -> None:
        site = self.site
        site.order("drain", "west", "--reason", HOSTILE)
        site.order("close", "big1@east", "--for", "west", "--reason", HOSTILE)
        for words in (("clusters",), ("hosts",), ("leases",), ("explain", "pool:west"),
                      ("history",), ("clusters", "--json"), ("clusters", "-o", "csv"),
                      ("clusters", "-o", "drain.why,cluster"), ("hosts", "--summary")):
            shown = site.order(*words) + self.on_terminal(*words, "--color", "never")
            for sign in "\u202e\u009b\u200b\033":
                self.assertNotIn(sign, shown, words)
        self.assertIn("x\\u202etxt\\u009b31m\\u200by", site.order("clusters"))
        site.order("open", "big1@east", "--for", "west")
        site.order("resume", "west")


if __name__ == "__main__":
    one_site.main()
