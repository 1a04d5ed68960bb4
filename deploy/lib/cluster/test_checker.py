"""Tests that the checker finds each kind of fault in a history, and none in a correct one."""

import pathlib
import tempfile
import unittest

from checker import DUPLICATE, LOST, WRONG, check
from history import DENIED, DONE, ERROR, GRANTED, History, Operation


def call(kind, result, start, subject="1", end=None, **fields):
    return Operation(kind, subject, start, start + 0.1 if end is None else end, result, **{"phase": "fault", **fields})


def kinds(operations, bookings=None):
    return [finding.kind for finding in check(History(list(operations), {} if bookings is None else bookings))]


class Sessions(unittest.TestCase):
    signed_out = [call("sign_in", GRANTED, 0), call("verify", GRANTED, 1), call("sign_out", DONE, 2)]

    def test_accepts_a_session_that_ends_in_time(self):
        self.assertEqual(kinds([*self.signed_out, call("verify", GRANTED, 4), call("verify", DENIED, 4.2)]), [])

    def test_finds_a_grant_after_the_end(self):
        for kind in ("verify", "edition", "download"):
            self.assertEqual(kinds([*self.signed_out, call(kind, GRANTED, 4.2)]), [WRONG], kind)

    def test_counts_from_the_start_of_the_request(self):
        # A node that was suspended for 30 s with a request: it may have decided before the end.
        self.assertEqual(kinds([*self.signed_out, call("verify", GRANTED, 3, end=33)]), [])

    def test_finds_a_denial_before_the_end(self):
        self.assertEqual(kinds([call("sign_in", GRANTED, 0), call("download", DENIED, 1)]), [WRONG])
        self.assertEqual(kinds([call("verify", DENIED, 1), call("sign_out", DONE, 2)]), [WRONG])

    def test_accepts_both_after_a_sign_out_without_a_response(self):
        unknown = call("sign_out", ERROR, 2, end=12)
        self.assertEqual(kinds([unknown, call("verify", GRANTED, 20)]), [])
        self.assertEqual(kinds([unknown, call("verify", DENIED, 20)]), [])
        self.assertEqual(kinds([unknown, call("verify", DENIED, 5, end=5.1), call("verify", GRANTED, 20)]), [WRONG])

    def test_ignores_errors(self):
        self.assertEqual(kinds([*self.signed_out, call("verify", ERROR, 9), call("sign_in", ERROR, 9, "2")]), [])

    def test_finds_a_lost_sign_out(self):
        audits = [call("audit", DENIED, 90, node="node1"), call("audit", GRANTED, 90, node="node2")]
        findings = check(History([*self.signed_out, *audits], {}))
        self.assertEqual([finding.kind for finding in findings], [LOST])
        self.assertIn("node2", findings[0].explanation)

    def test_finds_a_session_that_ended_by_itself(self):
        self.assertEqual(kinds([call("sign_in", GRANTED, 0), call("audit", DENIED, 90, node="node1")]), [WRONG])


class Passwords(unittest.TestCase):
    def test_finds_wrong_decisions(self):
        self.assertEqual(kinds([call("sign_in", DENIED, 0)]), [WRONG])
        self.assertEqual(kinds([call("guess", GRANTED, 0)]), [WRONG])
        self.assertEqual(kinds([call("foreign", GRANTED, 0)]), [WRONG])

    def test_accepts_right_decisions(self):
        self.assertEqual(kinds([call("sign_in", GRANTED, 0), call("guess", DENIED, 0), call("foreign", DENIED, 0)]), [])


class Devices(unittest.TestCase):
    def device(self, name, result, start, **fields):
        return call("device", result, start, device=name, **fields)

    def test_accepts_two_and_rejects_a_third(self):
        self.assertEqual(kinds([self.device("a", GRANTED, 0), self.device("b", GRANTED, 1), self.device("c", DENIED, 2),
                                self.device("a", GRANTED, 3)]), [])

    def test_finds_a_lost_registration(self):
        self.assertEqual(kinds([self.device("a", GRANTED, 0), self.device("b", GRANTED, 1), self.device("c", GRANTED, 2)]), [LOST])
        self.assertEqual(kinds([self.device("a", GRANTED, 0), self.device("a", DENIED, 2)]), [LOST])

    def test_finds_a_rejection_below_the_limit(self):
        self.assertEqual(kinds([self.device("a", GRANTED, 0), self.device("b", DENIED, 1)]), [WRONG])

    def test_a_registration_without_a_response_may_count(self):
        unknown = [self.device("a", ERROR, 0, end=10), self.device("b", GRANTED, 11)]
        self.assertEqual(kinds([*unknown, self.device("c", GRANTED, 12)]), [])
        self.assertEqual(kinds([*unknown, self.device("c", DENIED, 12)]), [])

    def test_concurrent_registrations_are_in_any_order(self):
        for results in ((GRANTED, DENIED, GRANTED), (DENIED, GRANTED, GRANTED)):
            self.assertEqual(kinds(self.device(name, result, 0) for name, result in zip("abc", results)), [])


class Purchases(unittest.TestCase):
    def test_accepts_one_booking(self):
        self.assertEqual(kinds([call("purchase", DONE, 0, "t1")], {"t1": 1}), [])

    def test_finds_a_lost_purchase(self):
        self.assertEqual(kinds([call("purchase", DONE, 0, "t1")], {}), [LOST])

    def test_finds_a_purchase_that_is_credited_twice(self):
        self.assertEqual(kinds([call("purchase", DONE, 0, "t1")], {"t1": 2}), [DUPLICATE])
        self.assertEqual(kinds([call("purchase", ERROR, 0, "t1")], {"t1": 2}), [DUPLICATE])

    def test_finds_a_purchase_that_nobody_made(self):
        self.assertEqual(kinds([], {"t1": 1}), [DUPLICATE])

    def test_a_purchase_without_a_response_may_count(self):
        for bookings in ({}, {"t1": 1}):
            self.assertEqual(kinds([call("purchase", ERROR, 0, "t1")], bookings), [])

    def test_an_acknowledged_repetition_counts(self):
        calls = [call("purchase", ERROR, 0, "t1"), call("purchase", DONE, 5, "t1")]
        self.assertEqual(kinds(calls, {"t1": 1}), [])
        self.assertEqual(kinds(calls, {}), [LOST])

    def test_finds_a_rejected_purchase(self):
        self.assertEqual(kinds([call("purchase", DENIED, 0, "t1")]), [WRONG])


class Files(unittest.TestCase):
    def test_a_saved_history_is_the_same(self):
        history = History([*Sessions.signed_out, call("device", DENIED, 3, device="a")], {"t1": 1})
        with tempfile.TemporaryDirectory() as folder:
            file = pathlib.Path(folder) / "history.jsonl"
            history.save(file)
            self.assertEqual(History.load(file), history)


if __name__ == "__main__":
    unittest.main()
