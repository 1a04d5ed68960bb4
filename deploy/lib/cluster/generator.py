"""The load generator of deploy/bench, which sends requests of which none is repeated."""

import importlib.util
import pathlib
import sys

BENCH = pathlib.Path(__file__).parent.parent / "bench"


def module(name):
    """Returns a module of deploy/bench. This folder has another one named `load`."""
    specification = importlib.util.spec_from_file_location(f"bench_{name}", BENCH / f"{name}.py")
    found = importlib.util.module_from_spec(specification)
    sys.modules[specification.name] = found
    specification.loader.exec_module(found)
    return found


load, servers = module("load"), module("servers")


class Measured(servers.Server):
    """The resources of a process that runs already."""

    def __init__(self, process):
        self.process = process.process


def closed_loop(node, port, request, connections, seconds):
    """Sends requests over each connection when it has its response. Returns their number, and the CPU time of the node in seconds.
    The load has the last core, and the node the others. A response that is no 2xx ends the measurement."""
    measured = Measured(node)
    with load.apart([measured]):
        result = load.Generator(None).closed_loop(load.Peer(node.name, port, request, [measured]), connections, seconds)
    requests = result["per_second"] * seconds
    return requests, result["cpu_per_100000"] * requests / 100_000
