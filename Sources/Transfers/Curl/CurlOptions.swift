import CLibCurl

/// Sets the options of a handle, and records the first failure.
struct CurlOptions {
    let library: CurlLibrary
    let handle: CurlLibrary.Handle
    private var list: UnsafeMutablePointer<curl_slist>?
    private(set) var code = CURLE_OK

    init(_ library: CurlLibrary, _ handle: CurlLibrary.Handle) {
        self.library = library
        self.handle = handle
    }

    func free() { library.free(list) }

    /// Sets the options that all transfers share.
    mutating func applyBasics() {
        // NOSIGNAL makes timeouts work in threads without signals. The empty proxy ignores the proxy variables of
        // the environment.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    }

    /// - Parameter file: trusted certificates in PEM that replace the system's. Nil keeps the system's.
    mutating func trust(_ file: String?) {
        guard let file else { return }
        set(CURLOPT_CAINFO, file)
        record(gf_curl_set_string(library.setopt, handle, CURLOPT_CAPATH, nil))
    }

    /// Sets a list option to a list of one text.
    mutating func setList(_ option: CURLoption, _ value: String) {
        list = library.append(list, value)
        record(gf_curl_set_list(library.setopt, handle, option, list))
    }

    mutating func record(_ result: CURLcode) {
        if code == CURLE_OK { code = result }
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        record(gf_curl_set_long(library.setopt, handle, option, value))
    }

    mutating func setOffset(_ option: CURLoption, _ value: Int64) {
        record(gf_curl_set_offset(library.setopt, handle, option, curl_off_t(value)))
    }

    mutating func set(_ option: CURLoption, _ value: String) {
        record(gf_curl_set_string(library.setopt, handle, option, value))
    }

    mutating func setPointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        record(gf_curl_set_pointer(library.setopt, handle, option, value))
    }
}
