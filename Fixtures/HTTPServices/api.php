<?php
// A service with JSON over HTTP: sign-in by POST, subscriptions by GET, and an API key in a header.
header('Content-Type: application/json');
function respond(int $status, array $value): void {
    global $mode;
    http_response_code($status);
    $text = json_encode($value, JSON_UNESCAPED_UNICODE);
    echo $mode === 'half' ? substr($text, 0, intdiv(strlen($text), 2)) : $text;
}
if (($_SERVER['HTTP_X_API_KEY'] ?? '') !== 'the key of Gatefold') { respond(403, ['problem' => 'key']); return; }
$parts = array_map('rawurldecode', explode('/', $path));
if ($path === '/api/sign-in' && $_SERVER['REQUEST_METHOD'] === 'POST') {
    $typed = json_decode($body, true);
    $reader = is_array($typed) ? find_reader($typed['email'] ?? '', $typed['password'] ?? '') : null;
    if ($mode === 'blank') respond(200, ['result' => '', 'reader' => ['id' => 'r-1']]);
    elseif ($mode === 'omitted') respond(200, ['reader' => ['id' => 'r-1']]);
    elseif ($reader) respond(200, ['result' => 'ok', 'reader' => ['id' => $reader['id']]]);
    else respond(401, ['result' => 'not recognised']);
} elseif (count($parts) === 5 && $parts[2] === 'readers' && $parts[4] === 'subscription') {
    $reader = reader_of_id($parts[3]);
    if (!$reader) respond(404, ['result' => 'unknown reader']);
    elseif ($mode === 'omitted') respond(200, ['status' => $reader['state'], 'everything' => false]);
    else respond(200, [
        'status' => $mode === 'blank' ? '' : $reader['state'], 'everything' => $reader['editions'] === null,
        'editions' => $reader['editions'] ?? [],
    ]);
} elseif ($path === '/api/health') {
    respond(200, ['result' => 'ok']);
} else {
    respond(404, []);
}
