"""Tests the calculations of deploy/cluster --measure."""

import collections
import types
import unittest

import decisions
import measure
import outage
import outbox
import pairs
import receiver
import statements
from nodes import ALONE, NODES


class Statements(unittest.TestCase):
    def test_counts_what_was_executed_between_two_readings(self):
        self.assertEqual(statements.difference({"a": 1, "b": 2}, {"a": 1, "b": 5, "c": 2}), {"b": 3, "c": 2})

    def test_finds_a_statement_that_grows_with_the_load(self):
        self.assertEqual(
            statements.growing({"heartbeat": 40}, {"heartbeat": 43, "read": 1000}), [statements.Growth("read", 0, 1000)])

    def test_a_poll_may_fall_into_one_of_two_equal_times(self):
        self.assertEqual(statements.growing({"poll": 60}, {"poll": 64}), [])

    def test_a_statement_of_every_hundredth_decision_is_found(self):
        found = statements.growing({"poll": 60}, {"poll": 60, "read": 100})
        self.assertEqual(statements.per_thousand(found, 10_000), 10)

    def test_only_the_executions_that_the_load_added_count(self):
        self.assertEqual(statements.per_thousand([statements.Growth("COMMIT", 100, 300)], 1000), 200)

    def test_the_row_names_the_statement(self):
        row = decisions.statement_rows({"verify": {"decisions": 1000, "growing": [statements.Growth("SELECT 1", 0, 1000)]}})[0]
        self.assertIn("1,000 in 1,000 decisions; `SELECT 1` 0 to 1,000", row[1])
        self.assertFalse(row[3])


class Pairs(unittest.TestCase):
    def test_equal_measures_have_the_ratio_one(self):
        self.assertEqual(pairs.ratio([2, 3, 4], [2, 3, 4]), (1, 1, 1))

    def test_compares_each_pair_and_not_the_means(self):
        # A machine that became three times as slow in the second pair.
        ratio, low, high = pairs.ratio([1, 3, 1], [1.1, 3.3, 1.1])
        for value in (ratio, low, high):
            self.assertAlmostEqual(value, 1.1)

    def test_the_interval_grows_with_the_noise(self):
        ratio, low, high = pairs.ratio([1, 1, 1, 1], [0.9, 1.1, 0.95, 1.05])
        self.assertLess(low, 0.95)
        self.assertGreater(high, 1.05)

    def test_the_row_compares_postgresql_with_sqlite(self):
        row = decisions.cpu_rows("a to b", {"verify": {ALONE: [1e-5, 2e-5], NODES[0]: [1.1e-5, 2.2e-5]}}, 0.97, 1.03)[0]
        self.assertTrue(row[1].startswith("1.100 "))
        self.assertFalse(row[3])

    def test_a_cost_without_a_lower_bar_may_be_none(self):
        for second, is_met in (([0.9, 0.9], True), ([1.1, 1.1], False)):
            row = decisions.cpu_rows("a to b", {"verify": {ALONE: [1.0, 1.0], NODES[0]: second}}, 0, 1.02)[0]
            self.assertEqual((row[2], row[3]), ("at most 1.02", is_met))

    def test_a_noisy_measurement_does_not_show_that_the_states_are_equal(self):
        noisy, calm = [1.0, 1.2, 0.85, 0.98], [1.0, 1.005, 0.995, 1.0]
        for measured, is_met in ((noisy, False), (calm, True)):
            row = decisions.cpu_rows("a to b", {"verify": {ALONE: [1.0] * 4, NODES[0]: measured}}, 0.97, 1.03)[0]
            self.assertEqual(row[3], is_met)


class Effects(unittest.TestCase):
    ordered = {"a", "b"}

    def test_accepts_each_effect_once(self):
        self.assertTrue(outbox.compared_bookings(self.ordered, {"a": 1, "b": 1}).is_right)

    def test_finds_a_lost_and_a_second_booking(self):
        found = outbox.compared_bookings(self.ordered, {"a": 2})
        self.assertEqual((found.lost, found.twice), (["b"], ["a"]))

    def test_finds_a_booking_that_nobody_ordered(self):
        self.assertEqual(outbox.compared_bookings(self.ordered, {"a": 1, "b": 1, "c": 1}).wrong, ["c"])

    def test_a_call_may_be_repeated_with_its_first_key(self):
        found = outbox.compared_calls(self.ordered, {"a": ["x", "x", "x"], "b": ["y"]})
        self.assertTrue(found.is_right)
        self.assertEqual(found.repeated, 2)

    def test_a_call_with_another_key_credits_twice(self):
        found = outbox.compared_calls(self.ordered, {"a": ["x", "z"], "b": ["y"]})
        self.assertEqual(found.twice, ["a"])
        self.assertFalse(found.is_right)

    def test_one_key_for_two_transactions_credits_one(self):
        self.assertEqual(outbox.compared_calls(self.ordered, {"a": ["x"], "b": ["x"]}).lost, ["b"])

    def test_finds_a_call_that_was_never_made(self):
        self.assertEqual(outbox.compared_calls(self.ordered, {"a": ["x"]}).lost, ["b"])


class Calls(unittest.TestCase):
    request = (b"POST /credit HTTP/1.1\r\nidempotency-key: play/GPA.1\r\nContent-Length: 25\r\n\r\n" b'{"transaction": "GPA.1" }\n')

    def received(self, *parts):
        service, written = receiver.Receiver("", 0), []
        connection = receiver.Connection(service)
        connection.connection_made(types.SimpleNamespace(write=written.append))
        for part in parts:
            connection.data_received(part)
        service.loop.close()
        return service.keys, len(written)

    def test_records_the_key_as_it_was_sent(self):
        self.assertEqual(self.received(self.request), ({"GPA.1": ["play/GPA.1"]}, 1))

    def test_responds_once_the_body_is_complete(self):
        self.assertEqual(self.received(self.request[:-3]), ({}, 0))
        self.assertEqual(self.received(self.request[:-3], self.request[-3:]), ({"GPA.1": ["play/GPA.1"]}, 1))

    def test_separates_two_requests_of_one_packet(self):
        self.assertEqual(self.received(self.request + self.request), ({"GPA.1": ["play/GPA.1"] * 2}, 2))


class Table(unittest.TestCase):
    def test_a_row_without_a_bar_is_neither_met_nor_missed(self):
        text = measure.rendered(
            [("a", "1", "0", False), ("b", "1", "1", True), ("c", "1", "", True)], types.SimpleNamespace(seed=1))
        self.assertIn("| a | 1 | 0 | **no** |\n| b | 1 | 1 | yes |\n| c | 1 |  |  |\n", text)

    def test_the_status_is_1_if_a_bar_is_missed(self):
        self.assertEqual(measure.status([("a", "1", "0", True)]), 0)
        self.assertEqual(measure.status([("a", "1", "0", True), ("b", "1", "0", False)]), 1)

    def test_revocation_has_a_bar_for_the_tail_and_for_the_maximum(self):
        times = {"rate": 1000, "sign_outs": [0.01] * 100, "failures": 0, "delays": [0.1] * 1000}
        self.assertEqual([row[3] for row in measure.revocation_rows(times)], [True, True])
        self.assertFalse(measure.revocation_rows({**times, "delays": [0.1] * 1000 + [2.1]})[0][3])
        self.assertFalse(measure.revocation_rows({**times, "delays": [0.1] * 90 + [1.3] * 10})[0][3])
        self.assertFalse(measure.revocation_rows({**times, "failures": 1})[1][3])

    def test_a_sign_out_that_is_in_force_nowhere_is_lost(self):
        found = types.SimpleNamespace(
            seconds=60, made=10, refused=collections.Counter(), failed=collections.Counter(), signed_out=["a"], late=[0.1],
            lost={"after the return": 0, "after a restart": 2}, recovery=1.0)
        self.assertEqual([row[3] for row in outage.rows(found)], [True, False, True, True])


if __name__ == "__main__":
    unittest.main()
