<?php
// A service with Digest authentication (RFC 7616). The mode selects a fault: `nochallenge`, or the number of nonces that are
// stale at their first use (`stale1`, `stale9`).
$used = (int) @file_get_contents("$folder/used");
preg_match_all('/(\w+)="?([^",]*)"?/', $_SERVER['HTTP_AUTHORIZATION'] ?? '', $all, PREG_SET_ORDER);
$fields = array_column($all, 2, 1);
$challenge = function (bool $stale) use ($used) {
    http_response_code(401);
    header('WWW-Authenticate: Digest realm="readers", qop="auth", nonce="n' . $used . '"' . ($stale ? ', stale=true' : ''));
};
if ($mode === 'nochallenge') { http_response_code(401); return; }
if (!isset($fields['nonce'])) { $challenge(false); return; }
file_put_contents("$folder/used", ++$used);
if (str_starts_with($mode, 'stale') && $used <= (int) substr($mode, 5)) { $challenge(true); return; }
foreach ($readers as $reader) {
    if ($reader['email'] !== $fields['username']) continue;
    $first = md5("{$fields['username']}:readers:{$reader['password']}");
    $second = md5("{$_SERVER['REQUEST_METHOD']}:{$_SERVER['REQUEST_URI']}");
    if (md5("$first:{$fields['nonce']}:{$fields['nc']}:{$fields['cnonce']}:auth:$second") !== $fields['response']) continue;
    header('Content-Type: application/json');
    echo json_encode(['result' => 'ok', 'state' => 'active']);
    return;
}
$challenge(false);
