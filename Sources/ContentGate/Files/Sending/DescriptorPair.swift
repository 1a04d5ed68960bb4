import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// Two descriptors: what is written to one is read from the other.
///
/// Sockets, because a `pipe` would be handed on to programs that are started just now.
struct DescriptorPair {
    let input: CInt
    let output: CInt

    /// - Throws: `IOError` when the system has none left.
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
