/// An error of a directory operation. It holds nothing of the request or the response.
public enum LDAPError: Error, Equatable, Sendable, CustomStringConvertible {
    /// No connection could be made.
    case unreachable
    /// No TLS connection could be made: the certificate is not trusted or names another host, or the server does
    /// not speak TLS.
    case insecure
    /// The connection broke, or the data received over it is not LDAP.
    case connectionLost
    case timedOut
    /// A bind without a name or a password, which a server would accept as an anonymous bind.
    case unauthenticatedBind
    /// A text that contains a NUL, where the library would cut it off.
    case unacceptableText
    /// The certificate, the key or the trusted certificates could not be loaded.
    case unusableTLSFiles
    /// The library rejected an operation before it sent anything; holds the library's own negative code.
    case notSent(Int32)
    /// The server returned an error.
    case rejected(LDAPOperation, ResultCode)

    public var description: String {
        switch self {
        case .unreachable: "no connection to the directory"
        case .insecure:
            "no TLS with the directory: its certificate is not trusted or names another host, or it has none"
        case .connectionLost: "the connection to the directory broke"
        case .timedOut: "the directory did not respond in time"
        case .unauthenticatedBind: "a bind without a name or a password is never sent"
        case .unacceptableText: "a string holds a NUL"
        case .unusableTLSFiles: "the TLS files for the directory cannot be loaded"
        case .notSent(let code): "libldap could not send a request (\(code))"
        case .rejected(let operation, let code): "the directory responded to \(operation.rawValue) with \(code)"
        }
    }

    /// A Boolean value that indicates whether the connection may be used for another operation.
    public var leavesConnectionUsable: Bool {
        switch self {
        case .rejected(_, let code): code != .unavailable
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
