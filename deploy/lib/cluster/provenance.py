"""The machine of a measurement."""

import os
import pathlib
import re


def machine():
    processor = re.search(r"model name\s*: (.*)", pathlib.Path("/proc/cpuinfo").read_text())
    memory = int(re.search(r"MemTotal: +(\d+)", pathlib.Path("/proc/meminfo").read_text()).group(1)) / 1e6
    name = processor.group(1).strip() if processor else os.uname().machine
    return f"{len(os.sched_getaffinity(0))} cores ({name}), {memory:.0f} GB."
