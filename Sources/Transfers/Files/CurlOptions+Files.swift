import CLibCurl
import Foundation

extension CurlOptions {
    mutating func apply(_ request: TransferRequest) {
        set(CURLOPT_URL, request.location)
        limitProtocols(request.scheme)
        applyBasics()
        set(CURLOPT_FAILONERROR, 1)
        set(CURLOPT_FILETIME, 1)
        set(CURLOPT_BUFFERSIZE, 256 << 10)
        set(CURLOPT_USERAGENT, "gatefold")
        setTimes(request.timeouts)
        setOffset(CURLOPT_MAXFILESIZE_LARGE, Int64(request.sizeLimit))
        setSecurity(request)
        setLogin(request.login)
        setCondition(request)
    }

    /// Sets the destinations of the received bytes and headers.
    mutating func receive(into sink: TransferSink, headers: HeaderReader) {
        setPointer(CURLOPT_WRITEDATA, Unmanaged.passUnretained(sink).toOpaque())
        record(
            gf_curl_set_write(library.setopt, handle, CURLOPT_WRITEFUNCTION) { bytes, size, count, sink in
                guard let bytes, let sink else { return 0 }
                let sinks = Unmanaged<TransferSink>.fromOpaque(sink).takeUnretainedValue()
                let shouldContinue = sinks.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                return shouldContinue ? size * count : 0
            })
        setPointer(CURLOPT_HEADERDATA, Unmanaged.passUnretained(headers).toOpaque())
        record(
            gf_curl_set_write(library.setopt, handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, reader in
                guard let bytes, let reader else { return 0 }
                let headers = Unmanaged<HeaderReader>.fromOpaque(reader).takeUnretainedValue()
                headers.take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                return size * count
            })
        set(CURLOPT_NOPROGRESS, 0)
        setPointer(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(sink).toOpaque())
        record(
            gf_curl_set_progress(library.setopt, handle, CURLOPT_XFERINFOFUNCTION) { sink, _, _, _, _ in
                guard let sink else { return 1 }
                return Unmanaged<TransferSink>.fromOpaque(sink).takeUnretainedValue().shouldContinue() ? 0 : 1
            })
    }

    /// Limits redirects: from HTTP to HTTP or HTTPS, from HTTPS to HTTPS only. libcurl sends the login only to the
    /// original host.
    private mutating func limitProtocols(_ scheme: TransferRequest.Scheme) {
        set(CURLOPT_PROTOCOLS_STR, scheme == .ftpTLS ? "ftp" : scheme.rawValue)
        let follows = scheme == .http || scheme == .https
        set(CURLOPT_FOLLOWLOCATION, follows ? 1 : 0)
        set(CURLOPT_MAXREDIRS, 5)
        if follows { set(CURLOPT_REDIR_PROTOCOLS_STR, scheme == .http ? "http,https" : "https") }
    }

    private mutating func setTimes(_ timeouts: TransferRequest.Timeouts) {
        func milliseconds(_ seconds: TimeInterval) -> Int { max(1, Int(seconds * 1000)) }
        set(CURLOPT_CONNECTTIMEOUT_MS, milliseconds(timeouts.connect))
        set(CURLOPT_TIMEOUT_MS, milliseconds(timeouts.total))
        set(CURLOPT_SERVER_RESPONSE_TIMEOUT, max(1, Int(timeouts.stall)))
        set(CURLOPT_LOW_SPEED_LIMIT, 1)
        set(CURLOPT_LOW_SPEED_TIME, max(1, Int(timeouts.stall)))
    }

    private mutating func setSecurity(_ request: TransferRequest) {
        trust(request.authorities)
        if request.scheme == .ftps || request.scheme == .ftpTLS { set(CURLOPT_USE_SSL, Int(CURLUSESSL_ALL.rawValue)) }
        switch request.hostKey {
        case .knownHosts(let path): set(CURLOPT_SSH_KNOWNHOSTS, path)
        case .fingerprint(let digest): set(CURLOPT_SSH_HOST_PUBLIC_KEY_SHA256, digest)
        // The empty file contains no keys, so an SFTP server without a configured host key is rejected.
        case nil: set(CURLOPT_SSH_KNOWNHOSTS, "/dev/null")
        }
    }

    private mutating func setLogin(_ login: TransferRequest.Login) {
        switch login {
        case .none:
            set(CURLOPT_SSH_AUTH_TYPES, Int(CURLSSH_AUTH_PASSWORD))
        case .password(let user, let password):
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_PASSWORD, password)
            set(CURLOPT_HTTPAUTH, Int(gf_curl_auth_password))
            set(CURLOPT_SSH_AUTH_TYPES, Int(CURLSSH_AUTH_PASSWORD | CURLSSH_AUTH_KEYBOARD))
        case .key(let user, let key, let passphrase):
            set(CURLOPT_USERNAME, user)
            set(CURLOPT_SSH_PRIVATE_KEYFILE, key)
            if let passphrase { set(CURLOPT_KEYPASSWD, passphrase) }
            set(CURLOPT_SSH_AUTH_TYPES, Int(CURLSSH_AUTH_PUBLICKEY))
        case .bearer(let token):
            set(CURLOPT_XOAUTH2_BEARER, token)
            set(CURLOPT_HTTPAUTH, Int(gf_curl_auth_bearer))
        }
    }

    private mutating func setCondition(_ request: TransferRequest) {
        guard let known = request.known else { return }
        if let tag = known.entityTag, request.scheme == .http || request.scheme == .https {
            setList(CURLOPT_HTTPHEADER, "If-None-Match: \(tag)")
        } else if let modified = known.modified {
            set(CURLOPT_TIMECONDITION, Int(CURL_TIMECOND_IFMODSINCE.rawValue))
            setOffset(CURLOPT_TIMEVALUE_LARGE, modified)
        }
    }
}
