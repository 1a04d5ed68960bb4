<?php
// A service of JSON over HTTP: sign in by a POST, subscriptions by a GET, and a key of the asking system in a header.
header('Content-Type: application/json');
function answer(int $status, array $value): void {
    global $mode;
    http_response_code($status);
    $text = json_encode($value, JSON_UNESCAPED_UNICODE);
    echo $mode === 'half' ? substr($text, 0, intdiv(strlen($text), 2)) : $text;
}
if (($_SERVER['HTTP_X_API_KEY'] ?? '') !== 'the key of Gatefold') { answer(403, ['problem' => 'key']); return; }
$parts = array_map('rawurldecode', explode('/', $path));
if ($path === '/api/sign-in' && $_SERVER['REQUEST_METHOD'] === 'POST') {
    $typed = json_decode($body, true);
    $reader = is_array($typed) ? find_reader($typed['email'] ?? '', $typed['password'] ?? '') : null;
    if ($mode === 'blank') answer(200, ['result' => '', 'reader' => ['id' => 'r-1']]);
    elseif ($mode === 'omitted') answer(200, ['reader' => ['id' => 'r-1']]);
    elseif ($reader) answer(200, ['result' => 'ok', 'reader' => ['id' => $reader['id']]]);
    else answer(401, ['result' => 'not recognised']);
} elseif (count($parts) === 5 && $parts[2] === 'readers' && $parts[4] === 'subscription') {
    $reader = reader_of_id($parts[3]);
    if (!$reader) answer(404, ['result' => 'unknown reader']);
    elseif ($mode === 'omitted') answer(200, ['status' => $reader['state'], 'everything' => false]);
    else answer(200, [
        'status' => $mode === 'blank' ? '' : $reader['state'], 'everything' => $reader['editions'] === null,
        'editions' => $reader['editions'] ?? [],
    ]);
} elseif ($path === '/api/health') {
    answer(200, ['result' => 'ok']);
} else {
    answer(404, []);
}
