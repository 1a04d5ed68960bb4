"""Akamai's Auth Token 2.0 from its published description, with the standard library alone.

Reads settings as JSON from standard input and prints the token. Written apart from the Swift code that it checks.
"""
import hashlib
import hmac
import json
import sys
from urllib.parse import quote_plus


def escape(text, early):
    if not early:
        return text
    out, rest = "", quote_plus(text)
    while rest:
        if rest[0] == "%":
            out, rest = out + rest[:3].lower(), rest[3:]
        else:
            out, rest = out + rest[0], rest[1:]
    return out


settings = json.load(sys.stdin)
early = settings.get("early", False)
sent = []
if "ip" in settings:
    sent.append("ip=" + escape(settings["ip"], early))
if "st" in settings:
    sent.append("st=%d" % settings["st"])
sent.append("exp=%d" % settings["exp"])
if "acl" in settings:
    sent.append("acl=" + "!".join(settings["acl"]))
if "id" in settings:
    sent.append("id=" + escape(settings["id"], early))
if "data" in settings:
    sent.append("data=" + escape(settings["data"], early))
digested = list(sent)
if "url" in settings:
    digested.append("url=" + escape(settings["url"], early))
if "salt" in settings:
    digested.append("salt=" + settings["salt"])
code = hmac.new(bytes.fromhex(settings["key"]), "~".join(digested).encode(), getattr(hashlib, settings["algorithm"]))
print("~".join(sent + ["hmac=" + code.hexdigest()]), end="")
