#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// Why a file could not be had. No case holds an address, a name or anything a server wrote.
public enum TransferError: Error, Sendable, Equatable, CustomStringConvertible {
    /// No server of that name, or none that lets anybody connect.
    case unreachable
    case timedOut
    /// The server does not take the user, password or key.
    case loginRefused
    /// The host key is missing from the known ones, or is another.
    case hostKeyRefused
    /// The server's certificate is not to be trusted, or there is no TLS where it is asked for.
    case insecure
    case notFound
    /// An HTTP status from 300 on that is no answer to the question.
    case status(Int)
    /// The transfer ended before the file did.
    case truncated
    /// - Parameter limit: in bytes.
    case tooLarge(limit: Int)
    /// It was written to while it was read.
    case changed
    /// A `file` address names no ordinary file that can be read.
    case unreadableFile
    /// - Parameter code: an errno.
    case cannotWrite(code: Int32)
    case cancelled
    /// - Parameters:
    ///   - code: of libcurl.
    ///   - words: its words for that code.
    case other(code: UInt32, words: String)

    public var description: String {
        switch self {
        case .unreachable: "the server can not be reached"
        case .timedOut: "the server did not answer in time, or stood still"
        case .loginRefused: "the server refused the user, the password or the key"
        case .hostKeyRefused: "the server's host key is not the known one"
        case .insecure: "the server's certificate can not be trusted, or it has no TLS"
        case .notFound: "the server has no such file, or does not let this user read it"
        case .status(let status): "the server answered with status \(status)"
        case .truncated: "the connection ended before the file did"
        case .tooLarge(let limit): "the file is larger than \(limit) bytes"
        case .changed: "the file changed while it was read"
        case .unreadableFile: "there is no ordinary file at that path that may be read"
        case .cannotWrite(let code): "it can not be written to disk: \(String(cString: strerror(code)))"
        case .cancelled: "it was cancelled"
        case .other(let code, let words): "libcurl's error \(code): \(words)"
        }
    }
}
