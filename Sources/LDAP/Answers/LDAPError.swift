/// Why a directory could not be asked. Says nothing of what was asked or answered.
public enum LDAPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No connection could be made.
    case unreachable
    /// No protected connection could be made: the certificate is not trusted, names another host, or the server speaks no
    /// TLS.
    case insecure
    /// The connection broke, or what came over it is no LDAP.
    case connectionLost
    case timedOut
    /// A bind without a name or a password, which a server would take for an anonymous one.
    case unauthenticatedBind
    /// A text with a NUL in it, which the library would cut off there.
    case unacceptableText
    /// Certificate, key or trust could not be loaded.
    case unusableTLSFiles
    /// The library refused an operation before anything was sent, by its own negative code.
    case notSent(Int32)
    /// The server answered with an error.
    case refused(LDAPOperation, ResultCode)

    public var description: String {
        switch self {
        case .unreachable: "no connection to the directory"
        case .insecure:
            "no TLS with the directory: its certificate is not trusted or names another host, or it has none"
        case .connectionLost: "the connection to the directory broke"
        case .timedOut: "the directory did not answer in time"
        case .unauthenticatedBind: "a bind without a name or a password is never sent"
        case .unacceptableText: "a text holds a NUL"
        case .unusableTLSFiles: "the TLS files for the directory can not be loaded"
        case .notSent(let code): "libldap could not send a request (\(code))"
        case .refused(let operation, let code): "the directory answered \(operation.rawValue) with \(code)"
        }
    }

    /// Whether the connection may be used for another operation.
    public var leavesConnectionUsable: Bool {
        switch self {
        case .refused(_, let code): code != .unavailable
        case .unauthenticatedBind, .unacceptableText: true
        default: false
        }
    }
}

public enum LDAPOperation: String, Sendable {
    case bind = "a bind"
    case search = "a search"
    case compare = "a compare"
    case startTLS = "StartTLS"
}
