<?php
// A service that asks for Digest (RFC 7616). The mode says with what it troubles its clients: `nochallenge`, or how many of
// its nonces are old already when they are used (`stale1`, `stale9`).
$used = (int) @file_get_contents("$folder/used");
preg_match_all('/(\w+)="?([^",]*)"?/', $_SERVER['HTTP_AUTHORIZATION'] ?? '', $all, PREG_SET_ORDER);
$said = array_column($all, 2, 1);
$challenge = function (bool $stale) use ($used) {
    http_response_code(401);
    header('WWW-Authenticate: Digest realm="readers", qop="auth", nonce="n' . $used . '"' . ($stale ? ', stale=true' : ''));
};
if ($mode === 'nochallenge') { http_response_code(401); return; }
if (!isset($said['nonce'])) { $challenge(false); return; }
file_put_contents("$folder/used", ++$used);
if (str_starts_with($mode, 'stale') && $used <= (int) substr($mode, 5)) { $challenge(true); return; }
foreach ($readers as $reader) {
    if ($reader['email'] !== $said['username']) continue;
    $first = md5("{$said['username']}:readers:{$reader['password']}");
    $second = md5("{$_SERVER['REQUEST_METHOD']}:{$_SERVER['REQUEST_URI']}");
    if (md5("$first:{$said['nonce']}:{$said['nc']}:{$said['cnonce']}:auth:$second") !== $said['response']) continue;
    header('Content-Type: application/json');
    echo json_encode(['result' => 'ok', 'state' => 'active']);
    return;
}
$challenge(false);
