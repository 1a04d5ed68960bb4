"""Tests the separation of load and servers on the cores. Generates no load."""

import os
import subprocess
import types
import unittest

import load


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
            load.keep([types.SimpleNamespace(pids=lambda: [server.pid])], load.CORES)


if __name__ == "__main__":
    unittest.main()
