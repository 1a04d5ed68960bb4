<?php
// A service with SOAP 1.1 or 1.2, implemented by PHP's SoapServer.
class Subscribers {
    public function signIn($email, $password) {
        $this->bad();
        $reader = find_reader((string) $email, (string) $password);
        $response = new stdClass;
        $response->valid = $reader ? 'true' : 'false';
        if ($reader) $response->id = $reader['id'];
        return $response;
    }
    public function subscription($id) {
        $this->bad();
        $reader = reader_of_id((string) $id);
        $response = new stdClass;
        if (!$reader) { $response->state = 'unknown'; return $response; }
        $response->state = $reader['state'];
        $response->everything = $reader['editions'] === null ? 'true' : 'false';
        $response->editions = new stdClass;
        $response->editions->edition = $reader['editions'] ?? [];
        return $response;
    }
    private function bad() {
        global $mode;
        if ($mode === 'fault') throw new SoapFault('Server', 'the database is unavailable');
    }
}
$server = new SoapServer(null, [
    'uri' => 'urn:subscribers', 'soap_version' => $service === 'soap12' ? SOAP_1_2 : SOAP_1_1,
    'features' => SOAP_SINGLE_ELEMENT_ARRAYS,
]);
$server->setClass('Subscribers');
ob_start();
$server->handle($body);
$text = ob_get_clean();
if ($mode === 'half') $text = substr($text, 0, intdiv(strlen($text), 2));
header('Content-Length: ' . strlen($text));
echo $text;
