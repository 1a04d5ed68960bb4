#!/usr/bin/python3
"""Prints passwords hashed by other programs, one JSON object per line.

Each test run generates them with passlib, bcrypt and argon2 (Debian's python3-passlib, python3-bcrypt, python3-argon2),
PHP, htpasswd, slappasswd, openssl and Python's hashlib. Gatefold computes none of them. Usage: make-vectors.py PASSWORD
"""
import base64, hashlib, hmac, json, os, struct, subprocess, sys, warnings

warnings.simplefilter("ignore")
from passlib import hash as h

password = sys.argv[1]
secret = password.encode()


def say(maker, scheme, stored, salt=None):
    print(json.dumps({"maker": maker, "scheme": scheme, "stored": stored, "salt": salt}))


def run(*command):
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


def passlib(scheme, hasher, **settings):
    say("passlib " + hasher.name, scheme, hasher.using(**settings).hash(password))


for ident in ("2a", "2b", "2y"):
    passlib("bcrypt", h.bcrypt, ident=ident, rounds=4)
passlib("auto", h.sha256_crypt, rounds=1000)
passlib("sha512-crypt", h.sha512_crypt, rounds=1000)
passlib("sha512-crypt", h.sha512_crypt, rounds=5000)
passlib("md5-crypt", h.md5_crypt)
passlib("apr1", h.apr_md5_crypt)
passlib("des", h.des_crypt)
passlib("des", h.bsdi_crypt, rounds=101)
passlib("crypt", h.sha1_crypt, rounds=100)
passlib("auto", h.sun_md5_crypt, rounds=10)
for ident in ("$P$", "$H$"):
    passlib("phpass", h.phpass, ident=ident, rounds=8)
passlib("scrypt", h.scrypt, rounds=6, salt_size=7)
for kind in ("i", "d", "id"):
    passlib("argon2", h.argon2, type=kind, rounds=2, memory_cost=256, parallelism=2)
passlib("pbkdf2", h.pbkdf2_sha1, rounds=100)
passlib("auto", h.pbkdf2_sha256, rounds=100)
passlib("passlib", h.pbkdf2_sha512, rounds=100)
passlib("ldap", h.ldap_pbkdf2_sha1, rounds=100)
passlib("ldap", h.ldap_pbkdf2_sha256, rounds=100)
passlib("ldap", h.ldap_pbkdf2_sha512, rounds=100)
for hasher in (h.ldap_md5, h.ldap_sha1, h.ldap_salted_md5, h.ldap_salted_sha1, h.ldap_salted_sha256,
               h.ldap_salted_sha512, h.ldap_md5_crypt, h.ldap_des_crypt):
    passlib("ldap", hasher)
passlib("auto", h.ldap_bcrypt, rounds=4)
passlib("ldap", h.ldap_sha512_crypt, rounds=1000)
passlib("django", h.django_pbkdf2_sha256, rounds=100)
passlib("auto", h.django_pbkdf2_sha1, rounds=100)
passlib("django", h.django_bcrypt, rounds=4)
passlib("auto", h.django_bcrypt_sha256, rounds=4)
passlib("django", h.django_salted_sha1)
passlib("auto", h.django_salted_md5)
passlib("mysql", h.mysql41)
passlib("mysql-old", h.mysql323)

import argon2, bcrypt
say("argon2-cffi", "auto", argon2.PasswordHasher(time_cost=1, memory_cost=1024, parallelism=4).hash(password))
say("bcrypt", "auto", bcrypt.hashpw(secret, bcrypt.gensalt(4)).decode())

salt = os.urandom(16)
say("hashlib, as ASP.NET Identity 2 lays it out", "aspnet", base64.b64encode(
    b"\0" + salt + hashlib.pbkdf2_hmac("sha1", secret, salt, 1000, 32)).decode())
for number, name in enumerate(("sha1", "sha256", "sha512")):
    say("hashlib, as ASP.NET Identity 3 lays it out", "auto", base64.b64encode(
        b"\1" + struct.pack(">III", number, 100, 16) + salt
        + hashlib.pbkdf2_hmac(name, secret, salt, 100, 32)).decode())
say("hashlib, as Django 5 lays it out", "django", "scrypt$64$saltysalt$8$2$" + base64.b64encode(
    hashlib.scrypt(secret, salt=b"saltysalt", n=64, r=8, p=2, dklen=64)).decode())


def crypt64(data):
    letters = "./0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"
    text, index = "", 0
    while index < len(data):
        value = int.from_bytes(data[index:index + 3], "little")
        for _ in range(min(3, len(data) - index) + 1):
            text, value = text + letters[value & 63], value >> 6
        index += 3
    return text


def drupal(secret):
    digest = hashlib.sha512(b"SaltSalt" + secret).digest()
    for _ in range(1 << 9):
        digest = hashlib.sha512(digest + secret).digest()
    return "$S$7SaltSalt" + crypt64(digest)[:43]


say("hashlib, as Drupal 7 describes", "drupal", drupal(secret))
say("hashlib, as Drupal 7 describes", "auto", "U" + drupal(hashlib.md5(secret).hexdigest().encode()))

php = r"""
$p = $argv[1]; $salt = 'k2XAnEHBqQ1Ct2aM';
$say = function ($form, $stored, $salt = null) {
    echo json_encode(['maker' => 'PHP', 'scheme' => $form, 'stored' => $stored, 'salt' => $salt]), "\n";
};
$say('auto', password_hash($p, PASSWORD_BCRYPT, ['cost' => 4]));
foreach ([PASSWORD_ARGON2I, PASSWORD_ARGON2ID] as $kind)
    $say('argon2', password_hash($p, $kind, ['memory_cost' => 1024, 'time_cost' => 1]));
$say('crypt', crypt($p, '$5$rounds=1000$' . $salt));
$wp = '$wp' . password_hash(base64_encode(hash_hmac('sha384', trim($p), 'wp-sha384', true)), PASSWORD_BCRYPT, ['cost' => 4]);
$say('auto', $wp);
$say('wordpress', $wp);
$say('wordpress', md5($p));
$say('joomla', md5($p . $salt) . ':' . $salt);
$say('joomla', password_hash($p, PASSWORD_BCRYPT, ['cost' => 4]));
$say('vbulletin', md5(md5($p) . 'a$}'), 'a$}');
$say('magento', md5('xy' . $p) . ':xy');
$say('magento', hash('sha256', $salt . $p) . ':' . $salt);
$say('auto', md5($salt . $p) . ':' . $salt . ':0');
$say('magento', hash('sha256', $salt . $p) . ':' . $salt . ':1');
$say('magento', hash('sha256', $salt . md5($salt . $p)) . ':' . $salt . ':0:1');
"""
print(run("php", "-r", php, "--", password))

# Magento's Argon2id by the argon2 package: raw bytes in hexadecimal, 16 bytes of the salt.
from argon2.low_level import hash_secret_raw, Type
for version, passes, memory in (("2", 2, 65536), ("3_32_1_1048576", 1, 1024)):
    digest = hash_secret_raw(secret, b"k2XAnEHBqQ1Ct2aM", passes, memory, 1, 32, Type.ID).hex()
    say("argon2-cffi, as Magento 2.4 lays it out", "magento", digest + ":k2XAnEHBqQ1Ct2aMzzzz:" + version)

for flag in "-m", "-B", "-s", "-2", "-5":
    cost = ["-C", "4"] if flag == "-B" else ["-r", "1000"] if flag in ("-2", "-5") else []
    try:
        say("htpasswd " + flag, "auto", run("htpasswd", "-nb", flag, *cost, "name", password).split(":", 1)[1])
    except subprocess.CalledProcessError:
        pass
for form in "{SSHA}", "{SHA}", "{SMD5}", "{MD5}":
    say("slappasswd", "ldap", run("/usr/sbin/slappasswd", "-h", form, "-s", password))
for form in "{SSHA256}", "{SSHA384}", "{SSHA512}", "{SHA256}", "{SHA384}", "{SHA512}":
    try:
        say("slappasswd with pw-sha2", "auto", run(
            "/usr/sbin/slappasswd", "-o", "module-path=/usr/lib/ldap", "-o", "module-load=pw-sha2", "-h", form, "-s", password))
    except subprocess.CalledProcessError:
        pass
say("slappasswd", "ldap", run("/usr/sbin/slappasswd", "-h", "{CRYPT}", "-c", "$6$rounds=1000$%.8s", "-s", password))
for flag in "-1", "-apr1", "-5", "-6":
    say("openssl passwd " + flag, "auto", run("openssl", "passwd", flag, password))
