"""The readers and editions of a run, and their tokens and credentials, from the servers under test."""

import base64
import concurrent.futures
import hashlib
import http.client
import os
import re
import secrets
import ssl
import time
import urllib.parse

import load

EDITION = "com.example.bench.2026-11"
SMALL = "com.example.bench.2026-10"
READERS = 1000
# Sessions of each reader. Together they exceed Gatefold's token cache (20,000), and requests use them in turn, so that each
# misses the cache.
SESSIONS = 25


def names():
    return ["ada", *(f"reader{number}" for number in range(1, READERS))]


def prepare(run):
    """Creates secrets, readers and editions."""
    for name in ("secret", "house-secret", "pseudonyms"):
        (run / name).write_text(secrets.token_urlsafe(32) + "\n")
        (run / name).chmod(0o644)
    rows = ["email,number,password,state,editions"]
    issues = " ".join(f"com.example.bench.2026-{month}" for month in ("09", "10", "11"))
    for number, name in enumerate(names(), 1000):
        salt = secrets.token_bytes(8)
        digest = hashlib.sha256(b"analytical engine" + salt).digest()
        stored = "{SSHA256}" + base64.b64encode(digest + salt).decode()
        rows.append(f"{name}@example.com,{number},{stored},active,{issues}")
    (run / "readers.csv").write_text("\n".join(rows) + "\n")
    content = run / "content"
    content.mkdir()
    for edition, size in ((EDITION, 100_000_000), (SMALL, 20_000)):
        with open(content / f"{edition}.zip", "wb") as file:
            for _ in range(0, size, 1_000_000):
                file.write(os.urandom(min(size, 1_000_000)))
    run.chmod(0o755)
    content.chmod(0o755)
    return content


def form_of(name, password="analytical engine"):
    return urllib.parse.urlencode({"email": f"{name}@example.com", "password": password})


class Connection:
    """A connection to a server that stays open."""

    def __init__(self, port, secure=False):
        trusting = ssl.create_default_context()
        trusting.check_hostname, trusting.verify_mode = False, ssl.CERT_NONE
        self.connection = http.client.HTTPSConnection("127.0.0.1", port, timeout=20, context=trusting) if secure \
            else http.client.HTTPConnection("127.0.0.1", port, timeout=20)

    def fetch(self, path, body=None):
        self.connection.request("POST" if body else "GET", path, body, load.FORM if body else {})
        response = self.connection.getresponse()
        return response.status, response.read().decode()

    def sign_in(self, name, path="/sign_in"):
        """Returns a token for the reader. Retries until the feed of readers is loaded."""
        for _ in range(100):
            status, text = self.fetch(path, form_of(name))
            if found := re.search(r"<token[^>]*>(.*)</token>", text):
                return found.group(1)
            time.sleep(0.1)
        raise SystemExit(f"{name} cannot sign in: {status} {text[:300]!r}")

    def verify(self, token):
        """Verifies a token, and fills the cache for its reader."""
        status, text = self.fetch(f"/verify_subscription?token={token}")
        if status != 200 or 'state="active"' not in text:
            raise SystemExit(f"a reader is not active: {status} {text[:300]!r}")

    def authorization(self, token, edition):
        """Returns the Authorization header for an edition."""
        _, text = self.fetch(f"/edition_credentials?token={token}&product_id={edition}")
        userid, password = re.search(r"<userid>(.*)</userid><password>(.*)</password>", text).groups()
        return "Basic " + base64.b64encode(f"{userid}:{password}".encode()).decode()


def sign_all_in(port, sessions):
    """Returns the tokens of the sessions of each reader, in reader order. Each is verified once, to fill the cache."""
    def one(name):
        connection = Connection(port)
        found = [connection.sign_in(name) for _ in range(sessions)]
        for token in found:
            connection.verify(token)
        return found

    with concurrent.futures.ThreadPoolExecutor(8) as pool:
        tokens = [token for found in pool.map(one, names()) for token in found]
    assert len(set(tokens)) == READERS * sessions
    return tokens
