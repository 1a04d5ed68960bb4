#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An error of a file transfer. No case holds an address, a name or text from a server.
public enum TransferError: Error, Sendable, Equatable, CustomStringConvertible {
    /// The host name does not resolve, or no server accepts the connection.
    case unreachable
    case timedOut
    /// The server does not accept the user, the password or the key.
    case loginRejected
    /// The host key is missing from the known keys, or differs from them.
    case hostKeyRejected
    /// The server's certificate is not trusted, or the server does not offer the requested TLS.
    case insecure
    case notFound
    /// An HTTP status from 300 on that is not a response to the request.
    case status(Int)
    /// The transfer ended before the file did.
    case truncated
    /// - Parameter limit: in bytes.
    case tooLarge(limit: Int)
    /// The file was written to while it was read.
    case changed
    /// A `file` address does not name a readable regular file.
    case unreadableFile
    /// - Parameter code: an errno.
    case cannotWrite(code: Int32)
    case cancelled
    /// - Parameters:
    ///   - code: of libcurl.
    ///   - errorText: libcurl's text for that code.
    case other(code: UInt32, errorText: String)

    public var description: String {
        switch self {
        case .unreachable: "the server cannot be reached"
        case .timedOut: "the server did not respond in time, or stalled"
        case .loginRejected: "the server rejected the user, the password or the key"
        case .hostKeyRejected: "the server's host key is not the known one"
        case .insecure: "the server's certificate cannot be trusted, or it has no TLS"
        case .notFound: "the server has no such file, or does not let this user read it"
        case .status(let status): "the server responded with status \(status)"
        case .truncated: "the connection ended before the file did"
        case .tooLarge(let limit): "the file is larger than \(limit) bytes"
        case .changed: "the file changed while it was read"
        case .unreadableFile: "there is no ordinary file at that path that may be read"
        case .cannotWrite(let code): "it cannot be written to disk: \(String(cString: strerror(code)))"
        case .cancelled: "it was cancelled"
        case .other(let code, let errorText): "libcurl's error \(code): \(errorText)"
        }
    }
}
