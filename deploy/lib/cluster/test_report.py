"""Tests the table and the histogram, and what responses mean. Starts nothing."""

import types
import unittest

import calls
import faults
import report
import revocation
from checker import LOST, WRONG, Finding
from client import Response
from history import DENIED, DONE, ERROR, GRANTED, History, Operation

FAULT = faults.ALL[1]


def operation(kind, result, start, phase=FAULT.name):
    return Operation(kind, "1", start, start + 0.5, result, phase)


def phase(recovered=130.0, failure=None):
    return {"fault": FAULT, "start": 100.0, "repaired": 120.0, "recovered": recovered, "failure": failure}


class Table(unittest.TestCase):
    operations = [operation("verify", GRANTED, 101), operation("verify", ERROR, 102), operation("sign_out", ERROR, 103),
                  operation("sign_out", ERROR, 50, phase="none")]

    def test_counts_the_errors_of_its_phase_and_the_time_until_the_last(self):
        row = report.row(History(self.operations), phase(), [])
        self.assertEqual(row, f"| {FAULT.title} | 3 | 2 (1) | 0 | 0 | 0 | 3.5 s |")

    def test_counts_the_findings_of_its_phase(self):
        findings = [Finding(WRONG, FAULT.name, "", self.operations[0]), Finding(LOST, "none", "", self.operations[0])]
        self.assertIn("| 1 | 0 | 0 |", report.row(History(self.operations), phase(), findings))

    def test_names_a_cluster_that_did_not_recover(self):
        self.assertIn("did not recover", report.row(History(self.operations), phase(recovered=None), []))

    def test_names_a_fault_that_was_not_completed_and_fails(self):
        self.assertIn("not completed", report.row(History(self.operations), phase(failure="no primary"), []))
        self.assertEqual(report.status([phase(failure="no primary")], []), 1)
        self.assertEqual(report.status([phase(recovered=None)], []), 1)
        self.assertEqual(report.status([phase()], [Finding(LOST, "none", "", self.operations[0])]), 1)
        self.assertEqual(report.status([phase()], []), 0)

    def test_shows_skipped_faults_and_findings_of_no_fault(self):
        arguments = types.SimpleNamespace(rate=1, seconds=1, seed=1)
        findings = [Finding(LOST, "warm-up", "", self.operations[0])]
        text = report.rendered(History([]), [], [(FAULT, "no network")], findings, arguments, None, 0.0)
        self.assertIn("skipped: no network", text)
        self.assertIn("| before and after the faults | | | 0 | 1 | 0 | |", text)


class Times(unittest.TestCase):
    def test_percentiles_are_values(self):
        self.assertEqual(revocation.percentile([3, 1, 2], 0.5), 2)
        self.assertEqual(revocation.percentile(range(100), 0.99), 99)

    def test_every_value_is_in_one_interval(self):
        counts = revocation.histogram([0.1, 0.3, 0.35, 0.9])
        self.assertEqual([number for _, _, number in counts], [1, 2, 0, 0, 1])

    def test_fails_visibly_without_a_sign_out(self):
        self.assertEqual(revocation.rendered({"delays": []}), ["No sign-out was acknowledged."])


class Meaning(unittest.TestCase):
    def meaning(self, kind, status, text="", headers=None):
        return calls.interpret(kind, Response(status, headers or {}, text.encode()))[0]

    def test_a_failure_is_never_a_decision(self):
        for kind in ("sign_in", "guess", "device", "verify", "edition", "foreign", "download", "sign_out", "purchase", "audit"):
            self.assertEqual(self.meaning(kind, 503, "<error/>"), ERROR, kind)
            self.assertNotEqual(self.meaning(kind, 200, "<html>"), DENIED, kind)

    def test_an_edition_of_an_unavailable_system_is_an_error(self):
        text = '<credentials><error status="x"/></credentials>'
        self.assertEqual(self.meaning("edition", 200, text), DENIED)
        self.assertEqual(self.meaning("edition", 200, text, {"retry-after": "5"}), ERROR)

    def test_decisions(self):
        self.assertEqual(self.meaning("sign_in", 200, "<token>x</token>"), GRANTED)
        self.assertEqual(self.meaning("device", 200, '<error status="toomanydevices"/>'), DENIED)
        self.assertEqual(self.meaning("verify", 200, '<subscription state="active">'), GRANTED)
        self.assertEqual(self.meaning("verify", 200, '<subscription state="unknown">'), DENIED)
        self.assertEqual([self.meaning("download", status) for status in (200, 403, 500)], [GRANTED, DENIED, ERROR])
        self.assertEqual(self.meaning("sign_out", 200, "Signed out"), DONE)
        self.assertEqual([self.meaning("purchase", status) for status in (200, 403)], [DONE, DENIED])


class Faults(unittest.TestCase):
    def test_names_are_unique(self):
        self.assertEqual(len(set(faults.NAMES)), len(faults.ALL))
        self.assertGreaterEqual(len(faults.ALL), 10)


if __name__ == "__main__":
    unittest.main()
