<?php
// A service of SOAP 1.1 or 1.2, by PHP's own SoapServer.
class Subscribers {
    public function signIn($email, $password) {
        $this->bad();
        $reader = find_reader((string) $email, (string) $password);
        $answer = new stdClass;
        $answer->valid = $reader ? 'true' : 'false';
        if ($reader) $answer->id = $reader['id'];
        return $answer;
    }
    public function subscription($id) {
        $this->bad();
        $reader = reader_of_id((string) $id);
        $answer = new stdClass;
        if (!$reader) { $answer->state = 'unknown'; return $answer; }
        $answer->state = $reader['state'];
        $answer->everything = $reader['editions'] === null ? 'true' : 'false';
        $answer->editions = new stdClass;
        $answer->editions->edition = $reader['editions'] ?? [];
        return $answer;
    }
    private function bad() {
        global $mode;
        if ($mode === 'fault') throw new SoapFault('Server', 'the database is away');
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
