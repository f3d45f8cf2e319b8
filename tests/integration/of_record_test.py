"""What a past instant and a database say of agents: the same as was so, also once the broker is dead."""
import one_site
from one_site import OnAMadeSite
from processes import PROGRAMS, run, wait_until


class ARecord(OnAMadeSite):
    def names_west(self, ask) -> None:
        needs = ask("attention")
        self.assertEqual((needs.returncode, needs.stderr), (1, ""), needs.stdout)
        self.assertIn("agent-stopped  west", needs.stdout)
        self.assertNotIn("nothing needs a person", needs.stdout)
        self.assertIn("and so not judged: when agents", needs.stdout)
        status = ask("status")
        self.assertEqual(status.returncode, 1)
        self.assertIn("west: stopped", status.stdout)
        self.assertIn("1 need a person", status.stdout)
        self.assertIn("stopped: the agent of west was stopped", ask("explain", "pool:west").stdout)

    def test_names_an_agent_that_was_stopped_as_what_is_so_now_does(self) -> None:
        site = self.site
        site.agents["west"].stop()
        wait_until(lambda: site.ask("attention"), "somebody is needed")
        self.names_west(lambda *words: site.ctl(*words, "--at", "now"))
        site.broker.kill9()
        self.names_west(lambda *words: run(PROGRAMS / "leasectl", *words, "--db", site.database))
        site.start_broker()
        site.agents["west"].start()

    def test_without_needs_says_that_it_does_not_tell_all(self) -> None:
        site = self.site
        for words in ("--at", "now"), ("--db", site.database):
            fine = run(PROGRAMS / "leasectl", "attention", *words,
                       *([] if "--db" in words else ["--broker", site.control]))
            self.assertEqual(fine.returncode, 0, fine.stdout + fine.stderr)
            self.assertIn("nothing needs a person, as far as the record shows", fine.stdout)
            self.assertIn("and so not judged: when agents", fine.stdout)
        looked = run(PROGRAMS / "leasectl", "doctor", "--json", "--db", site.database)
        self.assertIn("agents are not judged: a database does not keep which were refused", looked.stdout)

    def test_is_not_asked_instead_of_now_by_a_variable_that_is_not_set(self) -> None:
        site = self.site
        for words in ["attention", "--at", ""], ["status", "--db", ""]:
            answer = site.ctl(*words, "--json")
            self.assertEqual(answer.returncode, 2, answer.stdout)
            self.assertIn(f"{words[1]}: the value is empty", answer.stderr)


if __name__ == "__main__":
    one_site.main()
