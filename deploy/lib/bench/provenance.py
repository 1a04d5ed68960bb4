"""The origin of the figures of a run: the commit and build, the versions of the peers, and the machine."""

import datetime
import pathlib
import platform
import re
import subprocess

import load

HERE = pathlib.Path(__file__).parent
CHECKOUT = HERE.parent.parent.parent


def output_match(command, pattern):
    """Returns the match of a pattern in a program's output (stdout or stderr, any exit status), or None."""
    try:
        run = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, errors="replace", timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return None
    found = re.search(pattern, run.stdout)
    return found and found.group(1)


def commit(folder=CHECKOUT):
    """Returns the commit and whether the checkout differs from it. Both are None outside git or inside another repository."""
    git = ["git", "-C", str(folder)]
    found = output_match([*git, "rev-parse", "--show-toplevel", "--short", "HEAD"], r"\A(.+\n[0-9a-f]+)\n\Z")
    top, short = found.split("\n") if found else ("/", None)
    if pathlib.Path(top).resolve() != folder.resolve():
        return {"commit": None, "changed": None}
    return {"commit": short, "changed": output_match([*git, "status", "--porcelain"], "(.)") is not None}


def machine():
    model = next(
        (line.split(":", 1)[1].strip() for line in pathlib.Path("/proc/cpuinfo").read_text().splitlines()
         if line.startswith("model name")), platform.machine())
    memory = int(pathlib.Path("/proc/meminfo").read_text().split()[1]) * 1024 / 1e9
    return {
        # The cores that this process may use.
        "cores": len(load.CORES), "cpu": model, "memory_gigabytes": memory, "kernel": f"{platform.system()} {platform.release()}"}


def made(swift, build, go, php):
    """Returns the complete provenance. The caller passes the compiler's version and options; the Go binary states Go's version."""
    return {
        "at": datetime.datetime.now(datetime.timezone.utc).strftime("%Y-%m-%d %H:%M UTC"),
        **machine(), **commit(), "swift": swift, "build": build,
        "nginx": output_match(["nginx", "-v"], r"nginx/(\S+)"), "go": output_match(["go", "version", go], r": go(\S+)"),
        "php-fpm": output_match([php, "-v"], r"(?m)^PHP (\S+)"), "wrk": output_match(["wrk", "-v"], r"wrk (\S+)"),
    }
