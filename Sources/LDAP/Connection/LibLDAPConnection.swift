import CLDAP

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// A connection of libldap and the blocking calls on it. ``LDAPConnection`` documents them and makes one at a time.
final class LibLDAPConnection {
    /// The maximum size of a message, in bytes. Larger messages are not read, because no reader has that many
    /// attributes.
    private static let maxMessageSize = 16 << 20

    let functions: LDAPFunctions
    let options: LDAPOptions
    private let url: DirectoryURL
    private let directorySocket: DirectorySocket
    private var handle: LDAPFunctions.Handle?
    private var descriptor: Int32 = -1
    private(set) var isUsable = false

    init(_ functions: LDAPFunctions, _ url: DirectoryURL, _ options: LDAPOptions, _ directorySocket: DirectorySocket) {
        self.functions = functions
        self.url = url
        self.options = options
        self.directorySocket = directorySocket
    }

    deinit {
        close()
    }

    /// Connects, and sets up TLS where it is configured.
    ///
    /// libldap receives a connection that is already made. A connection that libldap makes itself cannot be
    /// interrupted, and after it breaks libldap reconnects without TLS and anonymously.
    func connect() throws(LDAPError) {
        let descriptor = try directorySocket.connect(to: url, timeout: options.connectTimeout)
        self.descriptor = descriptor
        let protocols = (tcp: Int32(1), unix: Int32(3))
        var made: LDAPFunctions.Handle?
        let status = functions.initialiseDescriptor(
            descriptor, url.scheme == .ldapi ? protocols.unix : protocols.tcp, url.description, &made)
        guard status == LDAP_SUCCESS, let made else {
            // libldap did not take ownership of the descriptor, so this code closes it.
            closeDescriptor(descriptor)
            self.descriptor = -1
            throw .notSent(status)
        }
        handle = made
        configure(made)
        do throws(LDAPError) {
            switch url.scheme {
            case .ldaps: try protect(made)
            case .ldap where options.startsTLS:
                var id: Int32 = 0
                let code = try timed { () throws(LDAPError) in
                    try sent(functions.startTLS(made, nil, nil, &id))
                    return try result(to: id, .startTLS)
                }
                guard code == .success else { throw .insecure }
                try protect(made)
            case .ldap, .ldapi: break
            }
        } catch {
            close()
            throw error
        }
        isUsable = true
    }

    func close() {
        // The call must not wait on a connection whose state is uncertain.
        if !isUsable { directorySocket.shutDown() }
        isUsable = false
        if let handle { _ = functions.unbind(handle, nil, nil) }
        handle = nil
        directorySocket.close()
    }

    /// Sets every option that ldap.conf, .ldaprc or the environment could have set.
    private func configure(_ handle: LDAPFunctions.Handle) {
        set(handle, LDAP_OPT_PROTOCOL_VERSION, 3)
        set(handle, LDAP_OPT_DEREF, 0)
        set(handle, LDAP_OPT_SIZELIMIT, 0)
        set(handle, LDAP_OPT_TIMELIMIT, 0)
        // libldap would follow a referral to another server without TLS and without a bind, even when this
        // connection has both.
        _ = functions.setOption(handle, LDAP_OPT_REFERRALS, nil)
        var on: Int32 = 1
        _ = functions.setOption(handle, LDAP_OPT_RESTART, &on)
        var limit = timeval(options.connectTimeout)
        _ = functions.setOption(handle, LDAP_OPT_NETWORK_TIMEOUT, &limit)
        limit = timeval(options.timeout)
        _ = functions.setOption(handle, LDAP_OPT_TIMEOUT, &limit)
        var socket: OpaquePointer?
        if functions.getOption(handle, LDAP_OPT_SOCKBUF, &socket) == LDAP_OPT_SUCCESS, let socket {
            var maxSize = UInt(Self.maxMessageSize)
            _ = functions.controlSocket(socket, LBER_SB_OPT_SET_MAX_INCOMING, &maxSize)
        }
    }

    private func set(_ handle: LDAPFunctions.Handle, _ option: Int32, _ value: Int32) {
        var value = value
        _ = functions.setOption(handle, option, &value)
    }

    private func protect(_ handle: LDAPFunctions.Handle) throws(LDAPError) {
        set(handle, LDAP_OPT_X_TLS_REQUIRE_CERT, LDAP_OPT_X_TLS_DEMAND)
        set(handle, LDAP_OPT_X_TLS_PROTOCOL_MIN, 3 << 8 | 3)
        set(handle, LDAP_OPT_X_TLS_CRLCHECK, LDAP_OPT_X_TLS_CRL_NONE)
        let files: [(Int32, String?)] = [
            (LDAP_OPT_X_TLS_CACERTDIR, nil), (LDAP_OPT_X_TLS_CACERTFILE, options.tls.authorityFile),
            (LDAP_OPT_X_TLS_CERTFILE, options.tls.certificateFile), (LDAP_OPT_X_TLS_KEYFILE, options.tls.keyFile),
        ]
        for (option, file) in files { _ = functions.setOption(handle, option, file) }
        var isServer: Int32 = 0
        guard functions.setOption(handle, LDAP_OPT_X_TLS_NEWCTX, &isServer) == LDAP_OPT_SUCCESS else {
            throw .unusableTLSFiles
        }
        let status = try directorySocket.timed(options.connectTimeout) { () throws(LDAPError) in
            functions.installTLS(handle)
        }
        guard status == LDAP_SUCCESS else {
            if directorySocket.isExpired { throw .timedOut }
            if directorySocket.isShutDown { throw .connectionLost }
            throw status == LDAP_TIMEOUT ? .timedOut : .insecure
        }
    }
}

extension LibLDAPConnection {
    /// Returns the handle if libldap still uses the connection that the handle was made with.
    func ready() throws(LDAPError) -> LDAPFunctions.Handle {
        guard isUsable, let handle else { throw .connectionLost }
        var present: Int32 = -1
        guard functions.getOption(handle, LDAP_OPT_DESC, &present) == LDAP_OPT_SUCCESS, present == descriptor else {
            throw recordUnusable(.connectionLost)
        }
        return handle
    }

    /// Runs one operation. Waiting for the response is limited by the configured timeout. A call that blocks
    /// elsewhere ends 500 ms later.
    func timed<Result>(_ body: () throws(LDAPError) -> Result) throws(LDAPError) -> Result {
        try directorySocket.timed(options.timeout + .milliseconds(500), body)
    }

    func sent(_ status: Int32) throws(LDAPError) {
        switch status {
        case LDAP_SUCCESS: return
        case _ where directorySocket.isExpired: throw recordUnusable(.timedOut)
        case LDAP_SERVER_DOWN, LDAP_CONNECT_ERROR: throw recordUnusable(.connectionLost)
        case LDAP_TIMEOUT: throw recordUnusable(.timedOut)
        default: throw recordUnusable(.notSent(status))
        }
    }

    /// Waits for the result of an operation.
    ///
    /// - Parameter collect: called with each message before the last, and with its type.
    func result(
        to id: Int32, _ operation: LDAPOperation,
        collect: (LDAPFunctions.Message, Int32) throws(LDAPError) -> Void = { _, _ in }
    ) throws(LDAPError) -> ResultCode {
        guard let handle else { throw .connectionLost }
        let deadline = ContinuousClock.now + options.timeout
        while true {
            var limit = timeval(max(.zero, deadline - .now))
            var message: LDAPFunctions.Message?
            let type = functions.result(handle, id, 0, &limit, &message)
            guard type > 0, let message else {
                if type == 0 { _ = functions.abandon(handle, id, nil, nil) }
                throw recordUnusable(
                    type == 0 && !directorySocket.isShutDown || directorySocket.isExpired ? .timedOut : .connectionLost)
            }
            if type == Int32(LDAP_RES_SEARCH_ENTRY) || type == Int32(LDAP_RES_SEARCH_REFERENCE) {
                defer { _ = functions.freeMessage(message) }
                do throws(LDAPError) {
                    try collect(message, type)
                } catch {
                    throw recordUnusable(error)
                }
                continue
            }
            var code: Int32 = 0
            guard functions.parseResult(handle, message, &code, nil, nil, nil, nil, 1) == LDAP_SUCCESS, code >= 0
            else { throw recordUnusable(.connectionLost) }
            return ResultCode(rawValue: code)
        }
    }

    /// Marks the connection as unusable.
    private func recordUnusable(_ error: LDAPError) -> LDAPError {
        isUsable = false
        return error
    }

    /// Returns the error for a result code of the server, and marks the connection as unusable if the code requires
    /// that.
    func rejected(_ operation: LDAPOperation, _ code: ResultCode) -> LDAPError {
        let error = LDAPError.rejected(operation, code)
        return error.leavesConnectionUsable ? error : recordUnusable(error)
    }
}
