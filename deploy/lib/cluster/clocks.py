"""Moves the time of day of single processes, with a library that is preloaded into them."""

import pathlib
import shutil
import struct
import subprocess

SOURCE = pathlib.Path(__file__).with_name("clock.c")


class Clocks:
    """The library and the offset of each host in seconds."""

    def __init__(self, run):
        self.run, self.library = run, run / "clock.so"
        compiler = shutil.which("cc") or shutil.which("clang")
        self.why_not = None if compiler else "moving a clock needs a C compiler (cc or clang)"
        if compiler:
            command = [compiler, "-O2", "-shared", "-fPIC", "-o", self.library, SOURCE, "-ldl"]
            result = subprocess.run(command, capture_output=True, text=True)
            if result.returncode:
                self.why_not = f"the library that moves a clock does not compile: {result.stderr.strip()[:200]}"
            else:
                self.library.chmod(0o755)

    def environment(self, name):
        """Returns the environment of a process whose clock can be moved."""
        if self.why_not:
            return {}
        self.move(name, 0)
        return {"LD_PRELOAD": str(self.library), "CLUSTER_CLOCK": str(self.offset(name))}

    def check(self, process):
        """Raises an error if a process did not load the library, such as from a folder without the right to execute."""
        if str(self.library) not in pathlib.Path(f"/proc/{process.pid}/maps").read_text():
            raise RuntimeError(f"{process.name} did not load {self.library}")

    def move(self, name, seconds):
        # Written in place, because the process has mapped the file.
        with open(self.offset(name), "r+b" if self.offset(name).exists() else "wb") as file:
            file.write(struct.pack("=q", seconds))
        self.offset(name).chmod(0o644)

    def offset(self, name):
        return self.run / f"{name}.clock"
