"""The network of the cluster: a namespace for each host, connected by a bridge, or ports on 127.0.0.1."""

import ipaddress
import os
import socket
import subprocess


class Host:
    """A machine of the cluster. Its address is reachable from this machine."""
    # The ports of all hosts.
    chosen = set()

    def __init__(self, name, address, namespace=None):
        self.name, self.address, self.namespace = name, address, namespace
        self.ports = {}

    def port(self, service):
        """Returns the port of a service, which stays the same. It is free on this machine when it is chosen, because all hosts
        share 127.0.0.1 without namespaces."""
        while service not in self.ports:
            with socket.socket() as probe:
                probe.bind(("127.0.0.1", 0))
                number = probe.getsockname()[1]
            if number not in Host.chosen:
                Host.chosen.add(number)
                self.ports[service] = number
        return self.ports[service]

    def at(self, service):
        return f"{self.address}:{self.port(service)}"

    def command(self, arguments):
        """Returns the command that runs a program on this host. The process id is that of the program, because nsenter replaces
        itself."""
        return ["nsenter", f"--net=/run/netns/{self.namespace}", *arguments] if self.namespace else list(arguments)


class Loopback:
    """All hosts on 127.0.0.1, for machines without namespaces. A host cannot be disconnected or delayed."""
    kind = "ports on 127.0.0.1"
    can_disconnect = can_delay = False
    why_not = "hosts share 127.0.0.1, because network namespaces need root and a kernel that allows them"

    def __init__(self, names):
        self.hosts = {name: Host(name, "127.0.0.1") for name in names}

    def remove(self):
        pass


class Namespaces:
    """One namespace for each host, and one for the bridge that connects them. Names begin with a prefix of this run, so that no
    other namespace is changed."""
    kind = "network namespaces"
    can_disconnect = True

    def __init__(self, names, prefix):
        self.prefix = prefix
        self.lan = f"{prefix}-lan"
        self.created = []
        network = unused_network()
        addresses = network.hosts()
        self.gateway = next(addresses)
        self.hosts = {name: Host(name, str(next(addresses)), f"{prefix}-{name}") for name in names}
        try:
            self.create(network.prefixlen)
            self.can_delay = self.probe_delay()
        except BaseException:
            self.remove()
            raise
        self.why_not = "the kernel has no netem (CONFIG_NET_SCH_NETEM)"

    def create(self, length):
        self.add(self.lan)
        ip("-n", self.lan, "link", "add", "lan", "type", "bridge")
        ip("-n", self.lan, "link", "set", "lan", "up")
        # The end on this machine. The name of an interface has at most 15 characters.
        ip("link", "add", self.prefix, "type", "veth", "peer", "name", "machine", "netns", self.lan)
        ip("address", "add", f"{self.gateway}/{length}", "dev", self.prefix)
        ip("link", "set", self.prefix, "up")
        self.connect("machine")
        for host in self.hosts.values():
            self.add(host.namespace)
            ip("-n", host.namespace, "link", "add", "eth0", "type", "veth", "peer", "name", host.name, "netns", self.lan)
            ip("-n", host.namespace, "address", "add", f"{host.address}/{length}", "dev", "eth0")
            for device in ("lo", "eth0"):
                ip("-n", host.namespace, "link", "set", device, "up")
            self.connect(host.name)

    def add(self, namespace):
        ip("netns", "add", namespace)
        self.created.append(namespace)

    def connect(self, name):
        ip("-n", self.lan, "link", "set", name, "master", "lan", "up")

    def disconnect(self, name):
        """Drops all packets of a host without any notice to it, as a broken switch does."""
        ip("-n", self.lan, "link", "set", name, "nomaster")

    def delay(self, name, milliseconds):
        tc(self.hosts[name], "add", "netem", "delay", f"{milliseconds}ms")

    def end_delay(self, name):
        tc(self.hosts[name], "del")

    def probe_delay(self):
        host = next(iter(self.hosts.values()))
        try:
            tc(host, "add", "netem", "delay", "1ms")
        except (subprocess.CalledProcessError, FileNotFoundError):
            return False
        tc(host, "del")
        return True

    def remove(self):
        # Removes the interfaces with the namespaces.
        for namespace in reversed(self.created):
            subprocess.run(["ip", "netns", "delete", namespace], stderr=subprocess.DEVNULL)
        subprocess.run(["ip", "link", "delete", self.prefix], stderr=subprocess.DEVNULL)


def ip(*arguments):
    subprocess.run(["ip", *arguments], check=True, stderr=subprocess.DEVNULL)


def tc(host, verb, *discipline):
    subprocess.run(host.command(["tc", "qdisc", verb, "dev", "eth0", "root", *discipline]), check=True,
                   stderr=subprocess.DEVNULL)


def unused_network():
    """Returns a private network of 256 addresses that this machine has no route to."""
    used = subprocess.run(["ip", "-4", "route"], capture_output=True, text=True, check=True).stdout.split()
    taken = []
    for word in used:
        try:
            taken.append(ipaddress.ip_network(word, strict=False))
        except ValueError:
            pass
    for third in range(64, 255):
        network = ipaddress.ip_network(f"10.213.{third}.0/24")
        if not any(network.overlaps(other) for other in taken):
            return network
    raise SystemExit("gatefold: no private network is unused")


def create(names, prefix):
    """Creates namespaces if this machine allows them, and otherwise uses 127.0.0.1."""
    if os.geteuid() != 0:
        return Loopback(names)
    try:
        return Namespaces(names, prefix)
    except (subprocess.CalledProcessError, FileNotFoundError):
        return Loopback(names)


def remove_leftovers(prefix):
    """Removes the namespaces of a run that ended without removing them."""
    listed = subprocess.run(["ip", "netns", "list"], capture_output=True, text=True)
    for line in listed.stdout.splitlines():
        name = line.split()[0] if line.split() else ""
        if name.startswith(prefix + "-"):
            subprocess.run(["ip", "netns", "delete", name], stderr=subprocess.DEVNULL)
    subprocess.run(["ip", "link", "delete", prefix], stderr=subprocess.DEVNULL)
