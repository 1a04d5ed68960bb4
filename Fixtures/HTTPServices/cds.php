<?php
// A fake of the fulfilment service CDS, with the responses that the article SubscriptionSystemsProtocol describes. It requires
// `originator`.
header('Content-Type: text/xml');
if (($_GET['originator'] ?? '') !== 'EXAMPLE') { http_response_code(400); return; }
if ($mode === 'nostatus') { echo '<RESPONSE><SUBSCRIBER><SUBSCRIPTION/></SUBSCRIBER></RESPONSE>'; return; }
$reader = null;
foreach ($readers as $candidate) {
    if ($candidate['urn'] === ($_GET['urn'] ?? '') && $candidate['surname'] === ($_GET['surname'] ?? '')) $reader = $candidate;
}
$issues = '';
foreach ($reader['labels'] ?? [] as $label) $issues .= '<Issue><LabelID>' . htmlspecialchars($label) . '</LabelID></Issue>';
$status = htmlspecialchars($reader['cds'] ?? '');
$text = "<?xml version=\"1.0\"?><RESPONSE><SUBSCRIBER><SUBSCRIPTION><Status>$status</Status></SUBSCRIPTION>"
    . "<ISSUEHISTORY>$issues</ISSUEHISTORY></SUBSCRIBER></RESPONSE>";
echo $mode === 'half' ? substr($text, 0, intdiv(strlen($text), 2)) : $text;
