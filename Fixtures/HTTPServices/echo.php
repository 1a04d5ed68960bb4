<?php
// Records the decoded path segment and JSON body of each request in `seen.log`.
$seen = ['path' => rawurldecode(explode('/', explode('?', $_SERVER['REQUEST_URI'])[0])[3] ?? '')];
$json = json_decode($body, true);
if (is_array($json)) $seen += ['json' => $json];
file_put_contents("$folder/seen.log", json_encode(array_map(fn ($v) => is_string($v) ? base64_encode($v) : $v, $seen)) . "\n", FILE_APPEND | LOCK_EX);
header('Content-Type: application/json');
echo json_encode(['result' => 'ok']);
