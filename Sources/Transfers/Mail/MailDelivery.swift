import CLibCurl
public import SharedLibraries

/// Sends e-mail messages to an SMTP server through libcurl.
public struct MailDelivery: Sendable {
    private let library: CurlLibrary

    /// - Throws: `SharedLibraryError` when libcurl is not installed.
    public init() throws(SharedLibraryError) {
        library = try CurlLibrary.loaded.get()
    }

    /// Sends one message and blocks its thread meanwhile.
    ///
    /// - Parameters:
    ///   - message: in the format of RFC 5322, with lines that end with CRLF. Dots at the beginning of lines are
    ///     doubled during transmission (RFC 5321, section 4.5.2).
    ///   - sender: the address to which failures are reported.
    ///   - recipient: an address.
    ///   - server: The mail server.
    ///   - isCancelled: called about once a second, and with every piece that is sent.
    /// - Returns: the last reply of the server, which has now accepted the message.
    /// - Throws: ``MailDeliveryError``. If the connection ended after the message's last line, the server may
    ///   have accepted the message nevertheless.
    public func send(
        _ message: [UInt8], from sender: String, to recipient: String, through server: MailServer,
        isCancelled: @escaping () -> Bool = { false }
    ) throws(MailDeliveryError) -> MailReply {
        guard let handle = library.easyInit() else {
            throw MailDeliveryError(.other(code: 27, errorText: "out of memory"))
        }
        let source = MailSource(message, isCancelled: isCancelled)
        let replies = MailReplyReader()
        var options = CurlOptions(library, handle)
        options.apply(server, from: sender, to: recipient)
        options.send(source, replies: replies)
        // Both objects outlive the handle. Only the handle uses the pointers from `send`.
        let problem = withExtendedLifetime((source, replies)) { () -> MailDeliveryError? in
            defer {
                library.cleanup(handle)
                options.free()
            }
            guard options.code == CURLE_OK else { return failure(options.code, replies, handle) }
            let code = library.perform(handle)
            if code == CURLE_OK { return nil }
            return source.wasCancelled ? MailDeliveryError(.cancelled) : failure(code, replies, handle)
        }
        if let problem { throw problem }
        return MailReply(lines: replies.lines)
    }

    private func failure(
        _ code: CURLcode, _ replies: MailReplyReader, _ handle: CurlLibrary.Handle
    ) -> MailDeliveryError {
        let reply = MailReply(lines: replies.lines)
        let status = gf_curl_get_long(library.getinfo, handle, CURLINFO_RESPONSE_CODE)
        let cause: MailDeliveryError.Cause
        switch code {
        case CURLE_COULDNT_RESOLVE_HOST, CURLE_COULDNT_CONNECT: cause = .unreachable
        case CURLE_OPERATION_TIMEDOUT: cause = .timedOut
        case CURLE_LOGIN_DENIED: cause = .loginRejected
        case CURLE_PEER_FAILED_VERIFICATION, CURLE_SSL_CONNECT_ERROR, CURLE_USE_SSL_FAILED, CURLE_SSL_CACERT_BADFILE,
            CURLE_SSL_ISSUER_ERROR, CURLE_SSL_INVALIDCERTSTATUS:
            cause = .insecure
        case _ where (400...599).contains(status): cause = .rejected(status: status, enhanced: reply.enhancedStatus)
        case CURLE_SEND_ERROR, CURLE_RECV_ERROR, CURLE_GOT_NOTHING, CURLE_WEIRD_SERVER_REPLY: cause = .disconnected
        default:
            cause = .other(code: code.rawValue, errorText: library.errorText(code).map { String(cString: $0) } ?? "")
        }
        return MailDeliveryError(cause, reply: reply, isAboutMessage: replies.isAboutMessage)
    }
}

extension CurlOptions {
    fileprivate mutating func apply(_ server: MailServer, from sender: String, to recipient: String) {
        set(CURLOPT_URL, server.location)
        set(CURLOPT_PROTOCOLS_STR, server.security == .implicit ? "smtps" : "smtp")
        applyBasics()
        trust(server.authorities)
        set(CURLOPT_USE_SSL, Int((server.security == .none ? CURLUSESSL_NONE : CURLUSESSL_ALL).rawValue))
        set(CURLOPT_CONNECTTIMEOUT_MS, max(1, Int(server.connectTimeout * 1000)))
        set(CURLOPT_TIMEOUT_MS, max(1, Int(server.timeout * 1000)))
        if let login = server.login {
            set(CURLOPT_USERNAME, login.user)
            set(CURLOPT_PASSWORD, login.password)
        }
        set(CURLOPT_MAIL_FROM, "<\(sender)>")
        setList(CURLOPT_MAIL_RCPT, "<\(recipient)>")
    }

    fileprivate mutating func send(_ source: MailSource, replies: MailReplyReader) {
        set(CURLOPT_UPLOAD, 1)
        setOffset(CURLOPT_INFILESIZE_LARGE, Int64(source.count))
        setPointer(CURLOPT_READDATA, Unmanaged.passUnretained(source).toOpaque())
        record(
            gf_curl_set_read(library.setopt, handle, CURLOPT_READFUNCTION) { bytes, size, count, source in
                guard let bytes, let source else { return 0 }
                let sources = Unmanaged<MailSource>.fromOpaque(source).takeUnretainedValue()
                return sources.fill(UnsafeMutableRawBufferPointer(start: bytes, count: size * count))
            })
        setPointer(CURLOPT_HEADERDATA, Unmanaged.passUnretained(replies).toOpaque())
        record(
            gf_curl_set_write(library.setopt, handle, CURLOPT_HEADERFUNCTION) { bytes, size, count, reader in
                guard let bytes, let reader else { return 0 }
                Unmanaged<MailReplyReader>.fromOpaque(reader).takeUnretainedValue()
                    .take(UnsafeRawBufferPointer(start: bytes, count: size * count))
                return size * count
            })
        set(CURLOPT_NOPROGRESS, 0)
        setPointer(CURLOPT_XFERINFODATA, Unmanaged.passUnretained(source).toOpaque())
        record(
            gf_curl_set_progress(library.setopt, handle, CURLOPT_XFERINFOFUNCTION) { source, _, _, _, _ in
                guard let source else { return 1 }
                return Unmanaged<MailSource>.fromOpaque(source).takeUnretainedValue().shouldContinue() ? 0 : 1
            })
    }
}
