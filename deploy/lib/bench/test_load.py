"""Tests the templates of requests, and the separation of load and servers on the cores. Generates no load."""

import os
import pathlib
import subprocess
import tempfile
import types
import unittest

import load


class Requests(unittest.TestCase):
    def test_samples_are_of_the_first_middle_and_last_line(self):
        with tempfile.TemporaryDirectory() as folder:
            lines = pathlib.Path(folder) / "lines"
            lines.write_text("".join(f"token{number}\tkey{number}\n" for number in range(9)))
            request = load.Request("/a?n={n}", {"Authorization": "Basic {2}"}, "token={1}", lines)
            samples = list(request.samples)
        self.assertEqual([sample.body for sample in samples], ["token=token0", "token=token4", "token=token8"])
        self.assertEqual(samples[1].headers, {"Authorization": "Basic key4"})
        self.assertNotIn("{", samples[0].path)

    def test_a_request_with_a_body_is_a_post(self):
        self.assertEqual([load.Request("/").method, load.Request("/", body="a=b").method], ["GET", "POST"])


class Apart(unittest.TestCase):
    @unittest.skipIf(len(load.CORES) < 2, "there is one core")
    def test_separates_servers_and_load_only_within_the_block(self):
        with subprocess.Popen(["sleep", "60"]) as server:
            try:
                with load.apart([types.SimpleNamespace(pids=lambda: [server.pid])]):
                    theirs, ours = os.sched_getaffinity(server.pid), os.sched_getaffinity(0)
                    self.assertEqual(theirs & ours, set())
                    self.assertEqual(theirs | ours, load.CORES)
                    self.assertEqual(len(ours), 1)
                self.assertEqual([os.sched_getaffinity(server.pid), os.sched_getaffinity(0)], [load.CORES] * 2)
            finally:
                server.kill()

    def test_ignores_a_server_that_has_ended(self):
        with subprocess.Popen(["true"]) as server:
            server.wait()
            load.pin([types.SimpleNamespace(pids=lambda: [server.pid])], load.CORES)


if __name__ == "__main__":
    unittest.main()
