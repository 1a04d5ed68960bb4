<?php
// Fakes of publishers' subscriber services, for tests. Run with `php -S 127.0.0.1:PORT router.php`. The environment variable
// SERVICE_FOLDER names a folder: `readers.json` contains the readers, `mode` selects a fault, and `requests.log` receives one
// line of JSON for each request, with all values as PHP parsed them.
$folder = getenv('SERVICE_FOLDER');
$readers = json_decode(file_get_contents("$folder/readers.json"), true);
$mode = trim((string) @file_get_contents("$folder/mode"));
$path = parse_url($_SERVER['REQUEST_URI'], PHP_URL_PATH);
$body = file_get_contents('php://input');
file_put_contents("$folder/requests.log", json_encode([
    'method' => $_SERVER['REQUEST_METHOD'], 'uri' => $_SERVER['REQUEST_URI'], 'query' => $_GET ?: new stdClass,
    'form' => $_POST ?: new stdClass, 'body' => base64_encode($body),
    'headers' => array_map('base64_encode', array_change_key_case(getallheaders())),
    'user' => base64_encode($_SERVER['PHP_AUTH_USER'] ?? ''), 'password' => base64_encode($_SERVER['PHP_AUTH_PW'] ?? ''),
], JSON_UNESCAPED_UNICODE | JSON_INVALID_UTF8_SUBSTITUTE) . "\n", FILE_APPEND | LOCK_EX);

function find_reader(string $email, string $password): ?array {
    global $readers;
    foreach ($readers as $reader) {
        if ($reader['email'] === $email && hash_equals($reader['password'], $password)) return $reader;
    }
    return null;
}

function reader_of_id(string $id): ?array {
    global $readers;
    foreach ($readers as $reader) if ($reader['id'] === $id) return $reader;
    return null;
}

// Faults that are the same in every service.
switch ($mode) {
    case 'error': http_response_code(500); echo '<html><body>Fatal error</body></html>'; return true;
    case 'empty': return true;
    case 'page': header('Content-Type: text/html'); echo '<html><head/><body>Maintenance</body></html>'; return true;
    case 'missing': http_response_code(404); header('Content-Type: text/html'); echo '<html><body>Not found</body></html>'; return true;
}

$service = explode('/', $path)[1] ?? '';
if (!preg_match('/^(api|soap11|soap12|cds|fulfillment-integration|oauth|echo|digest)$/', $service)) {
    http_response_code(404);
    return true;
}
$files = ['soap11' => 'soap', 'soap12' => 'soap', 'fulfillment-integration' => 'dovetail'];
require __DIR__ . '/' . ($files[$service] ?? $service) . '.php';
return true;
