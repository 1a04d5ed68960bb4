<?php
// A token endpoint for OAuth 2 client credentials, and a resource that requires its tokens. The file `tokens` has the number of
// the latest token. The file `revoked` revokes all tokens up to its number. If the file `says-why` exists, a rejection has the
// header of RFC 6750. In the mode `refuse` every reader is unknown.
$count = (int) @file_get_contents("$folder/tokens");
if ($path === '/oauth/token') {
    header('Content-Type: application/json');
    $user = urldecode($_SERVER['PHP_AUTH_USER'] ?? ($_POST['client_id'] ?? ''));
    $secret = urldecode($_SERVER['PHP_AUTH_PW'] ?? ($_POST['client_secret'] ?? ''));
    if ($user !== 'gate fold' || $secret !== 'sëcret:+' || ($_POST['grant_type'] ?? '') !== 'client_credentials') {
        http_response_code(401);
        echo json_encode(['error' => 'invalid_client']);
        return;
    }
    usleep(200000);
    $count++;
    file_put_contents("$folder/tokens", $count);
    echo json_encode(['access_token' => "token-$count", 'token_type' => 'Bearer', 'expires_in' => 3600]);
    return;
}
$revoked = (int) @file_get_contents("$folder/revoked");
if (!preg_match('/^Bearer token-(\d+)$/', $_SERVER['HTTP_AUTHORIZATION'] ?? '', $match) || (int) $match[1] <= $revoked) {
    http_response_code(401);
    if (file_exists("$folder/says-why")) header('WWW-Authenticate: Bearer realm="readers", error="invalid_token"');
    return;
}
if ($mode === 'refuse') { http_response_code(401); echo json_encode(['result' => 'unknown']); return; }
header('Content-Type: application/json');
echo json_encode(['status' => 'active', 'editions' => [], 'result' => 'ok', 'id' => 'r-1']);
