"""The load generator of deploy/bench, which sends requests of which none is repeated."""

import importlib.util
import pathlib
import sys
from concurrent import futures

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
    A response that is no 2xx ends the measurement."""
    return side_by_side([(node, port, request)], connections, seconds)[0]


def side_by_side(loads, connections, seconds):
    """Sends requests to several nodes at the same time, as `closed_loop` does to one. What disturbs the machine then disturbs all
    of them. The load has the last core, and the nodes the others. Each element of `loads` is a node, its port and a request."""
    peers = [load.Peer(node.name, port, request, [Measured(node)]) for node, port, request in loads]
    # The threads of the pool, and so the programs that they start, run where this thread runs.
    with load.apart([server for peer in peers for server in peer.servers]), futures.ThreadPoolExecutor(len(peers)) as pool:
        return list(pool.map(lambda peer: sent(peer, connections, seconds), peers))


def sent(peer, connections, seconds):
    result = load.Generator(None).closed_loop(peer, connections, seconds)
    requests = result["per_second"] * seconds
    return requests, result["cpu_per_100000"] * requests / 100_000
