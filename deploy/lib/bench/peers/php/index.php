<?php
// The historic form of edition_credentials: a script that has a few readers and computes the formula.
// It opens no token, because the historic token was the reader's name, and seals nothing, because a userid was random.
header('Content-Type: text/xml; charset=utf-8');
header('Cache-Control: no-store, no-cache, must-revalidate, private, max-age=0');
header('Pragma: no-cache');
header('Expires: 0');

$secret = trim(file_get_contents(getenv('GATEFOLD_SECRET')));
$issues = ['com.example.bench.2026-09', 'com.example.bench.2026-10', 'com.example.bench.2026-11'];
$token = $_REQUEST['token'] ?? '';
$edition = $_REQUEST['product_id'] ?? '';

function text($value) { return htmlspecialchars($value, ENT_XML1 | ENT_QUOTES, 'UTF-8'); }

echo '<?xml version="1.0" encoding="UTF-8"?>', "\n";
// One row of the table for each of the thousand readers.
if (!preg_match('/^(ada|reader[0-9]{1,3})$/D', $token) || !in_array($edition, $issues, true)) {
    echo '<credentials><error status="notentitled"/></credentials>';
    exit;
}
$salt = bin2hex(random_bytes(16));
$password = sha1("$edition:$salt:$secret");
echo '<credentials><userid>', text($salt), '</userid><password>', $password, '</password></credentials>';
