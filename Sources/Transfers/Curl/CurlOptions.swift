import CLibCurl

/// Sets a handle's options; the first that can not be set is remembered.
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

    /// What holds for every transfer.
    mutating func applyBasics() {
        // Threads: timeouts without signals. Whatever else the environment may say is not listened to.
        set(CURLOPT_NOSIGNAL, 1)
        set(CURLOPT_PROXY, "")
        set(CURLOPT_DISALLOW_USERNAME_IN_URL, 1)
        set(CURLOPT_TCP_KEEPALIVE, 1)
        set(CURLOPT_SSL_VERIFYPEER, 1)
        set(CURLOPT_SSL_VERIFYHOST, 2)
        set(CURLOPT_SSLVERSION, Int(CURL_SSLVERSION_TLSv1_2))
    }

    /// - Parameter file: certificates in PEM that are trusted in place of the system's; nil for the system's.
    mutating func trust(_ file: String?) {
        guard let file else { return }
        set(CURLOPT_CAINFO, file)
        keep(gf_curl_set_string(library.setopt, handle, CURLOPT_CAPATH, nil))
    }

    /// Sets an option that is a list to one text.
    mutating func setList(_ option: CURLoption, _ value: String) {
        list = library.append(list, value)
        keep(gf_curl_set_list(library.setopt, handle, option, list))
    }

    mutating func keep(_ result: CURLcode) {
        if code == CURLE_OK { code = result }
    }

    mutating func set(_ option: CURLoption, _ value: Int) {
        keep(gf_curl_set_long(library.setopt, handle, option, value))
    }

    mutating func setOffset(_ option: CURLoption, _ value: Int64) {
        keep(gf_curl_set_offset(library.setopt, handle, option, curl_off_t(value)))
    }

    mutating func set(_ option: CURLoption, _ value: String) {
        keep(gf_curl_set_string(library.setopt, handle, option, value))
    }

    mutating func setPointer(_ option: CURLoption, _ value: UnsafeMutableRawPointer) {
        keep(gf_curl_set_pointer(library.setopt, handle, option, value))
    }
}
