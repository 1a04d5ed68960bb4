"""Tests that the programs of deploy/bench build and report wrong options, and the tests of the Go programs."""

import os
import pathlib
import shutil
import subprocess
import sys
import unittest

HERE = pathlib.Path(__file__).parent
GOPATH = pathlib.Path("/usr/share/gocode")
IMPORTS = [GOPATH / "src" / name for name in ("github.com/mattn/go-sqlite3", "golang.org/x/net/http2")]


class Programs(unittest.TestCase):
    def test_python_compiles(self):
        for path in HERE.glob("*.py"):
            compile(path.read_text(), path, "exec")

    def test_a_pattern_that_matches_nothing_is_an_error(self):
        for program in ("bench.py", "growth.py"):
            for wrong, message in (("no such case", "there are:"), ("(", "expected a regular expression")):
                result = subprocess.run(
                    [sys.executable, "-B", HERE / program, "--gatefold", "none", "--go", "none", "--loader", "none", "--only", wrong],
                    capture_output=True, text=True)
                self.assertEqual(result.returncode, 2)
                self.assertIn(message, result.stderr)

    @unittest.skipUnless(shutil.which("bash"), "no bash here")
    def test_shell_script_parses(self):
        subprocess.run(["bash", "-n", HERE.parent.parent / "bench"], check=True)

    @unittest.skipUnless(shutil.which("bash"), "no bash here")
    def test_help_names_the_options(self):
        shown = subprocess.run(["bash", HERE.parent.parent / "bench", "--help"], check=True, capture_output=True, text=True).stdout
        # Those that deploy/bench itself passes.
        passed = {"--caller", "--gatefold", "--go", "--loader", "--micro", "--swift", "--build", "--help"}
        for program in ("bench.py", "growth.py"):
            options = subprocess.run(
                [sys.executable, "-B", HERE / program, "--help"], check=True, capture_output=True, text=True).stdout
            for option in {word.strip("[],") for word in options.split() if word.strip("[").startswith("--")} - passed:
                self.assertIn(option, shown)

    @unittest.skipUnless(shutil.which("php"), "no PHP here")
    def test_php_peer_parses(self):
        subprocess.run(["php", "-l", HERE / "peers/php/index.php"], check=True, stdout=subprocess.DEVNULL)

    @unittest.skipUnless(shutil.which("go") and shutil.which("gofmt") and all(map(pathlib.Path.exists, IMPORTS)), "no Go here")
    def test_go_programs(self):
        environment = {**os.environ, "GO111MODULE": "off", "GOPATH": str(GOPATH), "GOFLAGS": "-buildvcs=false"}
        for folder in (HERE / "peers/go", HERE / "loader"):
            self.assertEqual(subprocess.run(["gofmt", "-l", folder], check=True, capture_output=True, text=True).stdout, "")
            for command in ("vet", "test"):
                result = subprocess.run(["go", command, "."], cwd=folder, env=environment, capture_output=True, text=True)
                self.assertEqual(result.returncode, 0, result.stdout + result.stderr)


if __name__ == "__main__":
    unittest.main()
