import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Two connected descriptors: bytes that are written to one are read from the other.
///
/// They are sockets, because a program that is started at that moment would inherit the ends of a `pipe`.
struct DescriptorPair {
    let input: CInt
    let output: CInt

    /// - Throws: `IOError` if the system has no descriptors left.
    init() throws {
        var ends: [CInt] = [-1, -1]
        guard socketpair(AF_UNIX, Self.kind, 0, &ends) == 0 else {
            throw IOError(errnoCode: errno, reason: "socketpair")
        }
        #if canImport(Darwin)
            for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #endif
        (input, output) = (ends[0], ends[1])
    }

    #if canImport(Darwin)
        private static let kind = SOCK_STREAM
    #elseif canImport(Musl)
        private static let kind = SOCK_STREAM | SOCK_CLOEXEC
    #else
        private static let kind = CInt(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
    #endif
}
