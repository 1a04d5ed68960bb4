<?php
// A fake of the fulfilment service Dovetail, with the responses that the article SubscriptionSystemsProtocol describes.
header('Content-Type: text/xml');
function respond(int $status, string $inside): void {
    http_response_code($status);
    echo "<?xml version=\"1.0\"?><result_response>$inside</result_response>";
}
if (($mode === 'signin-down' && str_ends_with($path, '/sign-in')) || $mode === 'down-' . ($_GET['brandRef'] ?? '')
    || ($mode === 'entitlement-down' && str_ends_with($path, '/verify-entitlement'))) {
    http_response_code(503);
    return;
}
if ($path === '/fulfillment-integration/sign-in') {
    $brand = $_GET['brandRef'] ?? '';
    foreach ($readers as $reader) {
        if ($reader['email'] === ($_GET['webId'] ?? '') && isset($reader['brands'][$brand])) {
            return respond(200, '<authToken>' . htmlspecialchars("$brand:{$reader['email']}") . '</authToken>');
        }
    }
    return respond(401, '<error>unknown</error>');
}
[$brand, $email] = explode(':', $_GET['authToken'] ?? ':', 2);
foreach ($readers as $reader) {
    if ($reader['email'] !== $email || !isset($reader['brands'][$brand])) continue;
    if ($mode === 'blank') return respond(200, '<entitled/>');
    if ($mode === 'unknown-product') return respond(404, '<error>no such product</error>');
    if ($mode === 'omitted') return respond(200, '');
    $held = $reader['brands'][$brand] === ($_GET['productId'] ?? '');
    return respond(200, '<entitled>' . ($held ? 'true' : 'false') . '</entitled>');
}
respond(401, '<error>no such token</error>');
