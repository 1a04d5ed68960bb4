"""The calls of the apps, and what their responses mean."""

import base64
import hashlib
import json
import re
import subprocess

from history import DENIED, DONE, ERROR, GRANTED

HELD, NOT_HELD = "com.example.daily.2026-11", "com.example.daily.2026-09"


def interpret(kind, response):
    """Returns the result and a detail of a response."""
    status, text = response.status, response.text
    if kind == "download":
        if status == 200:
            return GRANTED, ""
        return (DENIED if status in (401, 403) else ERROR), str(status)
    if kind == "purchase":
        if status == 200:
            return DONE, ""
        return (DENIED if status in (400, 403) else ERROR), f"{status} {text[:120]}"
    if status != 200:
        return ERROR, str(status)
    if kind in ("edition", "foreign"):
        if "<userid>" in text:
            return GRANTED, ""
        # With Retry-After, the subscriber system is unavailable.
        denied = "<error" in text and "retry-after" not in response.headers
        return (DENIED if denied else ERROR), text[-200:]
    if kind == "sign_out":
        return (DONE, "") if "Signed out" in text else (ERROR, text[:120])
    if kind in ("verify", "audit"):
        found = re.search(r'state="(\w+)"', text)
        if not found:
            return ERROR, text[:120]
        return (GRANTED if found.group(1) == "active" else DENIED), found.group(1)
    if "<token" in text:
        return GRANTED, ""
    return (DENIED, text[-160:]) if "<error" in text else (ERROR, text[:120])


def token(response):
    return re.search(r"<token[^>]*>([^<]*)</token>", response.text).group(1)


def credentials(response):
    """Returns the value of the header Authorization for a download."""
    userid, password = re.search(r"<userid>(.*)</userid><password>(.*)</password>", response.text).groups()
    return "Basic " + base64.b64encode(f"{userid}:{password}".encode()).decode()


class Store:
    """A simulated Google Play, which signs receipts."""

    def __init__(self, key):
        text = subprocess.run(["openssl", "rsa", "-in", key, "-noout", "-text"], check=True, capture_output=True, text=True).stdout
        numbers = {name: int(re.sub(r"[\s:]", "", digits), 16)
                   for name, digits in re.findall(r"^(\w+):\n((?: +[0-9a-f:]+\n)+)", text, re.MULTILINE)}
        self.modulus, self.exponent = numbers["modulus"], numbers["privateExponent"]
        self.first, self.second = numbers["prime1"], numbers["prime2"]
        self.inverse = pow(self.second, -1, self.first)

    def receipt(self, transaction):
        """Returns the fields of a purchase."""
        order = json.dumps({
            "orderId": transaction, "packageName": "com.example.daily", "productId": "credit5", "purchaseTime": 1793000000000,
            "purchaseState": 0, "purchaseToken": transaction})
        return {"receipt": order, "signature": self.sign(order.encode()), "product": "credit5"}

    def sign(self, data):
        """RSA with PKCS #1 v1.5 and SHA-1, which Google uses."""
        size = (self.modulus.bit_length() + 7) // 8
        digest = bytes.fromhex("3021300906052b0e03021a05000414") + hashlib.sha1(data).digest()
        padded = int.from_bytes(b"\0\1" + b"\xff" * (size - len(digest) - 3) + b"\0" + digest, "big")
        # With the primes, this takes a quarter of the time.
        first = pow(padded, self.exponent % (self.first - 1), self.first)
        second = pow(padded, self.exponent % (self.second - 1), self.second)
        signed = second + self.second * (self.inverse * (first - second) % self.first)
        return base64.b64encode(signed.to_bytes(size, "big")).decode()
