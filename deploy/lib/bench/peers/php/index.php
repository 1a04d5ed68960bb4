<?php
// The historic form of such an endpoint: a script that has a few readers and computes the formula.
// It opens no token, because the historic token was the reader's name, and seals nothing, because a userid was random.
// A sign-in is far less work than in Gatefold: one reader in an array, a hash without a salt, no login throttle. The report
// mentions this next to those rows.
header('Content-Type: text/xml; charset=utf-8');
header('Cache-Control: no-store, no-cache, must-revalidate, private, max-age=0');
header('Pragma: no-cache');
header('Expires: 0');

$secret = trim(file_get_contents(getenv('GATEFOLD_SECRET')));
$issues = ['com.example.bench.2026-09', 'com.example.bench.2026-10', 'com.example.bench.2026-11'];
$readers = ['ada' => hash('sha256', 'analytical engine')];
$path = strtok($_SERVER['REQUEST_URI'], '?');
$token = $_REQUEST['token'] ?? '';

function text($value) { return htmlspecialchars($value, ENT_XML1 | ENT_QUOTES, 'UTF-8'); }

echo '<?xml version="1.0" encoding="UTF-8"?>', "\n";
switch ($path) {
case '/verify_subscription':
    // One row of the table for each of the thousand readers.
    if (!isset($readers[$token]) && !preg_match('/^reader[0-9]{1,3}$/D', $token)) {
        echo '<subscription state="unknown"/>';
        break;
    }
    echo '<subscription state="active"><issues>';
    foreach ($issues as $issue) { echo '<issue>', text($issue), '</issue>'; }
    echo '</issues></subscription>';
    break;
case '/edition_credentials':
    $edition = $_REQUEST['product_id'] ?? '';
    if (!isset($readers[$token]) || !in_array($edition, $issues, true)) {
        echo '<credentials><error status="notentitled"/></credentials>';
        break;
    }
    $salt = bin2hex(random_bytes(16));
    $password = sha1("$edition:$salt:$secret");
    echo '<credentials><userid>', text($salt), '</userid><password>', $password, '</password></credentials>';
    break;
case '/house/sign_in':
    $name = strtolower(trim($_REQUEST['email'] ?? ''));
    $name = explode('@', $name)[0];
    if (!isset($readers[$name]) || !hash_equals($readers[$name], hash('sha256', $_REQUEST['password'] ?? ''))) {
        echo '<error status="notrecognised"/>';
        break;
    }
    echo '<token>', text($name), '</token>';
    break;
default:
    http_response_code(404);
}
