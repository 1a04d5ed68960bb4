"""The rows of the comparison, and the project's bars."""

import contextlib
import dataclasses

import load
import readers
from load import FORM, Peer, Request
from readers import EDITION, SMALL

VERIFY = f"verify_subscription, {readers.READERS:,} readers"
SESSIONS = f"verify_subscription, {readers.READERS * readers.SESSIONS:,} sessions"
CREDENTIALS = "edition_credentials"
GATE = "auth-request, another path each time"
SIGN_IN = "sign_in"
VERIFY_FORM = "verify_subscription by POST"
VERIFY_TLS = "verify_subscription by POST, TLS"
VERIFY_HTTP2 = "verify_subscription by POST, HTTP/2"
CREDENTIALS_TLS = "edition_credentials by POST, TLS"
HANDSHAKES = "TLS handshakes"
RESUMED = "TLS handshakes, resumed"
DOWNLOAD_SMALL = "download 20 KB"
# With load and servers on all cores, their placement alone changes the CPU time of nginx by a factor of two.
DOWNLOAD_LARGE = "download 100 MB, load on a core of its own"

CALLS = [VERIFY, SESSIONS, CREDENTIALS, GATE, SIGN_IN, VERIFY_FORM, VERIFY_TLS, VERIFY_HTTP2, CREDENTIALS_TLS]
# All that --only selects from, in addition to idle connections, memory and micro.
NAMES = [*CALLS, HANDSHAKES, RESUMED, DOWNLOAD_SMALL, DOWNLOAD_LARGE]
# The project's bars: case, server, peer, measure, and the minimum ratio (negative: maximum).
BARS = [(case, "gatefold", *bar) for case, *bars in (
    (VERIFY, ("go", "per_second", 1.5), ("nginx return", "per_second", 0.7)),
    (SESSIONS, ("go", "per_second", 1.3)),
    (CREDENTIALS, ("go", "per_second", 1.3), ("php-fpm", "per_second", 4)),
    (GATE, ("go", "per_second", 1.4), ("nginx return", "per_second", 0.65)),
    (SIGN_IN, ("go", "per_second", 1.2)),
    (VERIFY_FORM, ("go", "per_second", 1.3)),
    (VERIFY_TLS, ("go", "per_second", 1.2)),
    (VERIFY_HTTP2, ("go", "per_second", 1.2)),
    (CREDENTIALS_TLS, ("go", "per_second", 1.2)),
    # A client on the same machine needs about as much CPU as the server, and its part makes the rates more alike. The CPU time of
    # the servers alone does not have this error: 1.11 times as much for each handshake is 0.9 of the rate.
    *((case, ("nginx return", "per_second", 0.9), ("nginx return", "cpu_per_100000", -1.11)) for case in (HANDSHAKES, RESUMED)),
    (DOWNLOAD_SMALL, ("nginx", "bytes_per_second", 0.7), ("nginx", "cpu_per_gigabyte", -2)),
    (DOWNLOAD_LARGE, ("nginx", "bytes_per_second", 0.95), ("nginx", "cpu_per_gigabyte", -1.2)),
    *((case, ("go", "p99", -1), ("go", "open_p99", -1)) for case in CALLS),
) for bar in bars]


@dataclasses.dataclass
class Case:
    name: str
    peers: list
    connections: int = 64

    @property
    def is_call(self):
        return self.name in CALLS

    def measure(self, generator, peer, seconds):
        if self.name in (HANDSHAKES, RESUMED):
            return generator.handshakes(peer, self.connections, seconds, resume=self.name == RESUMED)
        with load.apart(peer.servers) if self.name == DOWNLOAD_LARGE else contextlib.nullcontext():
            return generator.closed_loop(peer, self.connections, seconds)


@dataclasses.dataclass
class Servers:
    gatefold: object
    gatefold_tls: object
    go: object
    nginx: object
    php: object


def all_cases(servers, lines):
    """Returns the cases of NAMES. The lines are files of tokens, sessions, names and authorizations, by name."""
    ours, secure, go, nginx = servers.gatefold, servers.gatefold_tls, servers.go, servers.nginx

    def plain(request):
        return [Peer("gatefold", ours.port, request, [ours]), Peer("go", go.port, request, [go])]

    def over_tls(request, protocol="https"):
        return [Peer("gatefold", secure.port, request, [secure], protocol),
                Peer("go", go.ports["SECURE"], request, [go], protocol)]

    def fixed(request):
        return Peer("nginx return", nginx.port, request, [nginx])

    def fixed_tls(request, protocol="https"):
        return Peer("nginx return", nginx.ports["SECURE"], request, [nginx], protocol)

    def verify(tokens):
        return Request("/verify_subscription?token={1}&n={n}", lines=lines[tokens])

    def credentials(tokens):
        return Request(f"/edition_credentials?token={{1}}&product_id={EDITION}&n={{n}}", lines=lines[tokens])

    gate = Request("/auth-request/original-uri", {
        "X-Original-Method": "GET", "X-Original-URI": f"/content/bench/{EDITION}/page-{{n}}.html", "Authorization": "{2}"},
        lines=lines["authorizations"])
    sign_in = Request("/house/sign_in", FORM, "email={1}%40example.com&password=analytical%20engine&n={n}", lines["names"])
    verify_form = Request("/verify_subscription", FORM, "token={1}&n={n}", lines["tokens"])
    credentials_form = Request(
        "/edition_credentials", FORM, f"token={{1}}&product_id={EDITION}&n={{n}}", lines["tokens"])
    shake = Request("/healthz")

    def download(name, edition, column, connections):
        request = Request(f"/content/bench/{edition}.zip?n={{n}}", {"Authorization": f"{{{column}}}"}, lines=lines["authorizations"])
        return Case(name, [
            Peer("gatefold", ours.port, request, [ours]),
            # deploy/fronts/nginx/gatefold.conf.
            Peer("nginx, asking gatefold", nginx.ports["FRONT"], request, [nginx, ours]),
            Peer("nginx", nginx.ports["PLAIN"], request, [nginx])], connections)

    return [
        Case(VERIFY, [*plain(verify("tokens")), fixed(verify("tokens"))]),
        Case(SESSIONS, plain(verify("sessions"))),
        Case(CREDENTIALS, [
            *plain(credentials("tokens")), Peer("php-fpm", nginx.ports["PHP"], credentials("names"), [servers.php, nginx])]),
        Case(GATE, [*plain(gate), fixed(gate)]),
        Case(SIGN_IN, plain(sign_in)),
        Case(VERIFY_FORM, plain(verify_form)),
        Case(VERIFY_TLS, [*over_tls(verify_form), fixed_tls(verify_form)]),
        Case(VERIFY_HTTP2, [*over_tls(verify_form, "h2"), fixed_tls(verify_form, "h2")]),
        Case(CREDENTIALS_TLS, over_tls(credentials_form)),
        *(Case(name, [*over_tls(shake), fixed_tls(shake)], 16) for name in (HANDSHAKES, RESUMED)),
        download(DOWNLOAD_SMALL, SMALL, 1, 64),
        download(DOWNLOAD_LARGE, EDITION, 2, 4),
    ]
