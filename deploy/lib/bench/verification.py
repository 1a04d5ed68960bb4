"""Checks that every server returns the response that is measured, and rejects what it must."""

import re
import subprocess

import readers
from load import FORM, Request
from readers import EDITION, SMALL


def fetch(peer, request, head=False):
    """Returns the status and body of a response, by the peer's protocol."""
    command = ["curl", "--silent", "--insecure", "--max-time", "20", "--noproxy", "*",
               "--http2" if peer.protocol == "h2" else "--http1.1", "--write-out", "\n%{http_code} %{http_version}"]
    command += ["--head"] if head else []
    command += ["--data-raw", request.body] if request.body else []
    for name, value in request.headers.items():
        command += ["--header", f"{name}: {value}"]
    scheme = "http" if peer.protocol == "http" else "https"
    output = subprocess.run(
        [*command, f"{scheme}://127.0.0.1:{peer.port}{request.path}"], capture_output=True, text=True).stdout
    text, _, last = output.rpartition("\n")
    status, version = last.split()
    if (version == "2") != (peer.protocol == "h2"):
        raise SystemExit(f"{peer.name} spoke HTTP/{version}, expected {peer.protocol}")
    return int(status), "" if head else text


def shape(document):
    """Removes the parts that differ in each response."""
    return re.sub(r">[^<]*</(token|userid|password)>", "></>", re.sub(r"<token[^>]*>", "<token>", document))


def check(selected):
    """Checks the responses of all peers of the cases: each as Gatefold's, which must be a granting one."""
    granting = {
        "verify_subscription": 'state="active"', "edition_credentials": "<password>", "sign_in": "</token>"}
    for case in selected:
        sample = None
        for peer in case.peers:
            for request in peer.request.samples:
                status, text = fetch(peer, request, head=case.name.startswith("download"))
                if case.name.startswith("TLS handshakes"):
                    text = ""
                expected = granting.get(re.split("[ ,]", case.name)[0], "")
                sample = shape(text) if sample is None else sample
                if status != 200 or expected not in text or shape(text) != sample:
                    raise SystemExit(f"{case.name}: {peer.name} returned {status} {text[:300]!r}, expected {sample[:300]!r}")


def check_rejections(peers, token, authorization):
    """Checks that each server that decides also rejects. A peer that grants every request would do less work."""
    def damaged(text):
        middle = len(text) // 2
        return text[:middle] + ("B" if text[middle] == "A" else "A") + text[middle + 1:]

    def gate(authorization, edition):
        return Request("/auth-request/original-uri", {
            "X-Original-Method": "GET", "X-Original-URI": f"/content/bench/{edition}.zip", "Authorization": authorization})

    wrong = damaged(token)
    for peer in peers:
        for request, granted in (
                (Request(f"/verify_subscription?token={wrong}"), 'state="active"'),
                (Request("/verify_subscription", FORM, f"token={wrong}"), 'state="active"'),
                (Request(f"/edition_credentials?token={wrong}&product_id={EDITION}"), "<password>"),
                (Request("/house/sign_in", FORM, readers.form_of("ada", "difference engine")), "</token>"),
                (Request("/house/sign_in", FORM, readers.form_of("no-one")), "</token>")):
            status, text = fetch(peer, request)
            if status != 200 or granted in text:
                raise SystemExit(f"{peer.name} accepts {request}: {status} {text[:300]!r}")
        for request in (gate(damaged(authorization), EDITION), gate(authorization, SMALL)):
            if (status := fetch(peer, request)[0]) != 403:
                raise SystemExit(f"{peer.name} accepts the wrong credentials for an edition: {status}")
