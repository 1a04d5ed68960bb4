"""Tests the laws and the plot of deploy/bench --growth with invented figures. Measures nothing."""

import math
import pathlib
import sqlite3
import tempfile
import unittest
import xml.etree.ElementTree

import growth
import growth_report
import law

SIZES = (1_000, 10_000, 100_000, 1_000_000)


def points(function):
    return [(x, function(x)) for x in SIZES]


class Laws(unittest.TestCase):
    def test_exponent_is_the_slope_on_logarithmic_scales(self):
        for power in (0, 0.5, 1, 2, -1):
            self.assertAlmostEqual(law.exponent(points(lambda x: 3 * x ** power)), power)

    def test_constant_despite_noise(self):
        self.assertEqual(law.law([(1_000, 98), (10_000, 103), (100_000, 97), (1_000_000, 101)]), "constant")

    def test_logarithmic(self):
        self.assertEqual(law.law(points(lambda x: 2 + 3 * math.log(x))), "logarithmic")

    def test_linear(self):
        self.assertEqual(law.law(points(lambda x: 7 * x)), "linear")

    def test_linear_with_a_fixed_part_whose_exponent_is_small(self):
        start = points(lambda x: 0.2 + 0.000_002 * x)
        self.assertLess(law.exponent(start), 0.5)
        self.assertGreater(law.last_exponent(start), 0.6)
        self.assertEqual(law.law(start), "linear")

    def test_linear_despite_noise(self):
        self.assertEqual(law.law([(1, 4.1), (10, 16), (50, 53), (100, 108), (200, 190)]), "linear")

    def test_another_power_is_named(self):
        self.assertEqual(law.law(points(lambda x: x ** 2)), "x^2.00")

    def test_a_decrease_has_only_an_exponent(self):
        self.assertEqual(law.law(points(lambda x: 1e9 / x)), "x^-1.00")

    def test_two_points_show_only_the_exponent(self):
        self.assertEqual(law.law([(1, 2), (10, 20)]), "x^1.00")


class Reports(unittest.TestCase):
    def setUp(self):
        self.series = [
            growth_report.Series("start", "revocations", "seconds", points(lambda x: x / 1e6), "a note"),
            growth_report.Series("a < b", "connections", "requests/s", points(lambda x: 40_000)),
            growth_report.Series("once", "subscribers", "MB", [(10, 20.0)])]

    def test_text_states_each_law(self):
        self.assertEqual(self.series[0].verdict, "linear, exponent 1.00, 1.00 at the end")
        self.assertEqual(self.series[1].verdict, "constant, exponent 0.00, 0.00 at the end")
        self.assertEqual(self.series[2].verdict, "one point only")
        self.assertIn("       1,000  0.001\n", self.series[0].text())
        self.assertTrue(self.series[0].text().endswith("\n  a note"))

    def test_plot_has_a_panel_for_each_series_and_a_circle_for_each_point(self):
        drawn = xml.etree.ElementTree.fromstring(growth_report.plot(self.series, "2 × Made-up & Sons"))
        svg = "{http://www.w3.org/2000/svg}"
        self.assertEqual(len(drawn.findall(f"{svg}polyline")), 3)
        self.assertEqual(len(drawn.findall(f"{svg}circle")), 9)
        # A constant is drawn as a horizontal line.
        self.assertEqual(len({circle.get("cy") for circle in drawn.findall(f"{svg}circle")[4:8]}), 1)

    def test_files(self):
        with tempfile.TemporaryDirectory() as folder:
            text = growth_report.write(pathlib.Path(folder), self.series, ["machine", "commit"], {})
            self.assertEqual({path.name for path in pathlib.Path(folder).iterdir()}, {"growth.txt", "growth.svg", "growth.json"})
        self.assertTrue(text.startswith("machine\ncommit\n\nstart: linear"))


class Subscribers(unittest.TestCase):
    def test_a_database_grows_by_the_missing_rows(self):
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "subscribers.sqlite"
            db = sqlite3.connect(file)
            db.executescript("""
                CREATE TABLE subscriber (id INTEGER PRIMARY KEY, identifier TEXT UNIQUE, updated INTEGER);
                CREATE TABLE period (subscriber INTEGER, start INTEGER, "end" INTEGER);
                CREATE TABLE edition (subscriber INTEGER, edition TEXT);""")
            growth.add_subscribers(file, 0, 3)
            growth.add_subscribers(file, 3, 5)
            self.assertEqual(db.execute("SELECT min(id), max(id), count(*) FROM subscriber").fetchone(), (1, 5, 5))
            self.assertEqual([db.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in ("period", "edition")], [5, 5])
            db.close()


if __name__ == "__main__":
    unittest.main()
