"""Tests the report of deploy/bench with invented figures. Starts no server and measures nothing."""

import json
import pathlib
import shutil
import subprocess
import tempfile
import unittest
import xml.etree.ElementTree

import cases
import provenance
import report

HERE = pathlib.Path(__file__).parent
MADE = {
    "at": "2026-11-22 13:00 UTC", "cores": 2, "cpu": "Made-up 1000", "memory_gigabytes": 8.2, "kernel": "Linux 6.1.0",
    "commit": "abc1234", "changed": True, "swift": "6.3.1", "build": "-c release", "nginx": "1.22.1", "go": "1.19.8",
    "php-fpm": "8.2.7", "wrk": None,
}
SETTINGS = {"rounds": 3, "seconds": 2, "only": "", "memory_minutes": 1}


def one(**result):
    """Returns the results of one round."""
    return {"per_second": 1000, "bytes_per_second": 1e9, "p50": 500, "p99": 2000, "cpu_per_100000": 1, "cpu_per_gigabyte": 1,
            "pss_megabytes": 20, "rss_megabytes": 30, "open_rate": 500, "open_p50": 100, "open_p99": 1000, "open_lag_p99": 50,
            **result}


def measured(case, **peers):
    """Returns three rounds of each peer. The middle value is the median, in any order."""
    key = "bytes_per_second" if case.startswith("download") else "per_second"
    return {case: {peer.replace("_", " "): [one(**{key: middle * part}) for part in (1.5, 1, 0.5)]
                   for peer, middle in peers.items()}}


def idle(connections=10_000, megabytes=160.0):
    return {"idle": {"connections": connections, "of_admin_listener": 256, "rss_megabytes_before": 60.0,
                     "rss_megabytes": megabytes, "bytes_per_connection": 13_200.0}}


def memory(minutes, ratio):
    return {"memory": {"minutes": minutes, "rss_megabytes": [100.0, 100 * ratio], "ratio": ratio}}


class Medians(unittest.TestCase):
    def test_medians_are_per_measure(self):
        rounds = [one(per_second=10, p99=3), one(per_second=30, p99=1), one(per_second=20, p99=2)]
        self.assertEqual(report.medians(rounds), one(per_second=20, p99=2))

    def test_median_of_two_rounds_is_their_mean(self):
        self.assertEqual(report.medians([one(p50=1), one(p50=2)])["p50"], 1.5)

    def test_spread_is_of_the_lowest_and_the_highest_round(self):
        rounds = [one(bytes_per_second=2e9), one(bytes_per_second=3e9), one(bytes_per_second=1e9)]
        self.assertEqual(report.spread(rounds, "bytes_per_second", 1e6), "1,000–3,000")


class Bars(unittest.TestCase):
    def judged(self, least, key="per_second", case="a", **result):
        results = {"a": {"gatefold": one(**result), "go": one()}}
        bar, = report.bars(results, [(case, "gatefold", "go", key, least)])
        return bar

    def test_at_least(self):
        self.assertEqual([self.judged(1.3, per_second=rate).word for rate in (1299, 1300, 1301)], ["missed", "yes", "yes"])
        self.assertEqual(self.judged(1.3, per_second=1299).shown, "1.299")
        self.assertEqual(self.judged(1.3).wanted, "≥ 1.30")

    def test_at_most(self):
        self.assertEqual([self.judged(-1.0, "p99", p99=p99).word for p99 in (1999, 2000, 2001)], ["yes", "yes", "missed"])
        self.assertEqual(self.judged(-1.0, "p99").wanted, "≤ 1.00")

    def test_not_measured(self):
        bar = self.judged(1.3, case="another")
        self.assertEqual((bar.word, bar.shown, bar.met), ("not measured", "–", None))
        bar, = report.bars({"a": {"gatefold": one()}}, [("a", "gatefold", "go", "per_second", 1.3)])
        self.assertEqual(bar.word, "not measured")

    def test_a_measure_that_one_server_lacks_is_not_measured(self):
        results = {"a": {"gatefold": one(), "go": {"per_second": 1}}}
        bar, = report.bars(results, [("a", "gatefold", "go", "open_p99", -1.0)])
        self.assertEqual(bar.word, "not measured")

    def test_p99_of_every_call_is_compared_with_go(self):
        for case in cases.CALLS:
            for key in ("p99", "open_p99"):
                self.assertIn((case, "gatefold", "go", key, -1), cases.BARS)

    def test_bars_name_existing_cases(self):
        for case, _, _, key, _ in cases.BARS:
            self.assertIn(case, cases.NAMES)
            self.assertIn(key, report.UNITS)


class StandingBars(unittest.TestCase):
    def words(self, standings):
        return [bar.word for bar in report.standing_bars(standings, 10_000, 170, 60, 0.05)]

    def test_idle_connections(self):
        self.assertEqual(self.words(idle(megabytes=170.0))[0], "yes")
        self.assertEqual(self.words(idle(megabytes=170.1))[0], "missed")
        # Few connections do not count for the bar of many, even with little memory.
        self.assertEqual(self.words(idle(connections=9_999, megabytes=20.0))[0], "not measured")

    def test_memory_after_long_load(self):
        for ratio, word in ((1.049, "yes"), (0.951, "yes"), (1.051, "missed"), (0.949, "missed")):
            self.assertEqual(self.words(memory(60, ratio))[1], word)
        self.assertEqual(self.words(memory(59, 2.0))[1], "not measured")

    def test_bars_without_measurements(self):
        self.assertEqual(self.words({}), ["not measured", "not measured"])


class Reports(unittest.TestCase):
    def setUp(self):
        found = {
            **measured(cases.VERIFY, gatefold=90_000, nginx_return=120_000, go=45_000, **{"php-fpm": 15_000}),
            **measured("sign_in", gatefold=5_000, go=50_000),
            **measured(cases.GATE, gatefold=90_000, nginx_return=120_000, go=60_000),
            **measured(cases.HANDSHAKES, gatefold=900, nginx_return=1_000, go=1_200),
            **measured(cases.SESSIONS, gatefold=80_000, nginx_return=120_000, go=45_000),
            **measured("download 20 KB", gatefold=2.5e8, nginx=1.5e9),
        }
        standings = {**idle(), **memory(1, 1.0)}
        verdict = report.bars(report.all_medians(found), cases.BARS) + report.standing_bars(standings, 10_000, 170, 60, 0.05)
        self.report = report.Report(found, standings, [{"name": "a token", "median": 900.0}], verdict, SETTINGS, MADE)

    def test_text_names_its_provenance(self):
        head = self.report.text().split("\n\n")[0]
        self.assertIn("2 × Made-up 1000, 8 GB, Linux 6.1.0", head)
        self.assertIn("commit abc1234, changed since; Swift 6.3.1; swift build -c release; nginx 1.22.1", head)
        self.assertIn("PHP-FPM 8.2.7\n", head)

    def test_text_has_no_commit_outside_git(self):
        self.report.made = {**MADE, "commit": None, "changed": None}
        self.assertNotIn("commit", "\n".join(self.report.head))

    def test_text_shows_spread_and_both_kinds_of_memory(self):
        row = next(line for line in self.report.text().splitlines() if line.startswith("  nginx return"))
        self.assertEqual(row.split()[2:], ["120,000", "60,000–180,000", "0.75", "500", "2,000", "1,000", "1.00", "20", "30"])

    def test_markdown_has_a_row_for_each_call(self):
        rows = [line for line in self.report.markdown().splitlines() if line.startswith("|")]
        self.assertIn(
            f"| {cases.VERIFY} | 90,000 | 0.75 | 2.00 | 6.00 | 0.500 | 2.000 | 1.00 | 1.000 | 1.00 | 1.0 | 30 |", rows)
        self.assertIn("| sign_in | 5,000 | – | 0.10 | – | 0.500 | 2.000 | 1.00 | 1.000 | 1.00 | 1.0 | 30 |", rows)
        self.assertIn("| TLS handshakes | 900 | 0.90 | 0.75 | 1.00 | 1.00 |", rows)
        self.assertIn("| 20 KB, our own file server | 250 | 0.17 | 1.00 |", rows)
        for block in self.report.markdown().split("\n\n"):
            lines = block.splitlines()
            if block.startswith("|"):
                self.assertEqual({line.count("|") for line in lines}, {lines[0].count("|")})

    def test_markdown_lists_every_bar(self):
        rows = self.report.markdown().split("\n\n")[-1].splitlines()[2:]
        self.assertEqual(len(rows), len(cases.BARS) + 2)
        self.assertIn(f"| {cases.VERIFY}: requests/s, gatefold / nginx return | ≥ 0.70 | 0.750 | yes |", rows)
        self.assertIn(f"| {cases.VERIFY_FORM}: requests/s, gatefold / go | ≥ 1.30 | – | not measured |", rows)

    def test_report_of_micro_benchmarks_only(self):
        result = report.Report({}, {}, [{"name": "a token", "median": 900.0}], report.bars({}, cases.BARS), SETTINGS, MADE)
        self.assertIn("900", result.text())
        self.assertNotIn("requests/s |", result.markdown().split("| bar |")[0])
        report.plot({}, "machine")

    def test_plot_has_a_bar_for_each_peer_as_long_as_its_share(self):
        drawn = xml.etree.ElementTree.fromstring(report.plot(report.all_medians(
            {**measured("a < b", gatefold=30_000, nginx_return=120_000),
             **measured("download 20 KB", gatefold=1e9, nginx=2e9)}), "2 × Made-up & Sons"))
        svg = "{http://www.w3.org/2000/svg}"
        bars = drawn.findall(f"{svg}rect")[1:]
        self.assertEqual([float(bar.get("width")) for bar in bars], [105, 420, 210, 420])
        self.assertEqual(len({bar.get("y") for bar in bars}), 4)
        texts = [text.text for text in drawn.findall(f"{svg}text")]
        for text in ("2 × Made-up & Sons", "a < b", "30,000/s", "1,000 MB/s", "nginx return"):
            self.assertIn(text, texts)

    def test_json_has_every_round(self):
        with tempfile.TemporaryDirectory() as folder:
            self.report.write(pathlib.Path(folder) / "new")
            written = json.loads((pathlib.Path(folder) / "new/bench.json").read_text())
        case = cases.VERIFY
        self.assertEqual([result["per_second"] for result in written["rounds"][case]["go"]], [67_500, 45_000, 22_500])
        self.assertEqual(written["medians"][case]["go"]["per_second"], 45_000)
        self.assertEqual(written["made"]["commit"], "abc1234")
        self.assertEqual({bar["met"] for bar in written["bars"]}, {True, False, None})


class Provenance(unittest.TestCase):
    def test_a_program_may_be_missing_or_print_nothing(self):
        self.assertIsNone(provenance.output_match(["/no/such/program"], "(.*)"))
        self.assertIsNone(provenance.output_match(["true"], "version (.*)"))
        self.assertEqual(provenance.output_match(["sh", "-c", "echo made up 1.2 >&2; exit 1"], r"up (\S+)"), "1.2")

    @unittest.skipUnless(shutil.which("git"), "no git here")
    def test_commit(self):
        with tempfile.TemporaryDirectory() as name:
            folder = pathlib.Path(name)
            self.assertEqual(provenance.commit(folder), {"commit": None, "changed": None})
            subprocess.run(["git", "-C", name, "init", "-q"], check=True)
            # No commit yet.
            self.assertIsNone(provenance.commit(folder)["commit"])
            commit = "-c user.name=a -c user.email=a@example.com -c commit.gpgsign=false commit -q --allow-empty -m made-up"
            subprocess.run(["git", "-C", name, *commit.split()], check=True)
            self.assertRegex(provenance.commit(folder)["commit"], "^[0-9a-f]{4,}$")
            self.assertFalse(provenance.commit(folder)["changed"])
            (folder / "new").mkdir()
            # Another repository that contains the folder does not count.
            self.assertIsNone(provenance.commit(folder / "new")["commit"])
            (folder / "new/file").touch()
            self.assertTrue(provenance.commit(folder)["changed"])


if __name__ == "__main__":
    unittest.main()
