#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// An address that the host name of a directory resolves to.
struct SocketAddress {
    private let family: Int32
    private let bytes: [UInt8]

    /// Returns all addresses of a URL, in the system's order. The system resolves names within its own time limits.
    static func resolve(_ url: DirectoryURL) throws(LDAPError) -> [SocketAddress] {
        if url.scheme == .ldapi { return [unix(url.host)] }
        var hints = addrinfo()
        #if canImport(Glibc)
            hints.ai_socktype = Int32(SOCK_STREAM.rawValue)
        #else
            hints.ai_socktype = SOCK_STREAM
        #endif
        hints.ai_flags = AI_ADDRCONFIG
        var list: UnsafeMutablePointer<addrinfo>?
        var status = getaddrinfo(url.host, String(url.port), &hints, &list)
        if status != 0 {
            // On a machine that has only a loopback interface, AI_ADDRCONFIG finds no address, but the machine can
            // still reach itself.
            hints.ai_flags = 0
            status = getaddrinfo(url.host, String(url.port), &hints, &list)
        }
        guard status == 0 else { throw .unreachable }
        defer { freeaddrinfo(list) }
        var found: [SocketAddress] = []
        var next = list
        while let entry = next {
            if let address = entry.pointee.ai_addr {
                let bytes = UnsafeRawBufferPointer(start: address, count: Int(entry.pointee.ai_addrlen))
                found.append(SocketAddress(family: entry.pointee.ai_family, bytes: Array(bytes)))
            }
            next = entry.pointee.ai_next
        }
        return found
    }

    /// - Parameter path: shorter than 108 bytes, the size of the field. ``DirectoryURL`` guarantees this.
    private static func unix(_ path: String) -> SocketAddress {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: path.utf8.prefix($0.count - 1)) }
        return SocketAddress(family: AF_UNIX, bytes: withUnsafeBytes(of: &address) { Array($0) })
    }

    /// Creates a socket in non-blocking mode.
    func open() -> Int32 {
        #if canImport(Glibc)
            return socket(family, Int32(SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue), 0)
        #else
            let descriptor = socket(family, SOCK_STREAM, 0)
            if descriptor >= 0 { _ = fcntl(descriptor, F_SETFL, O_NONBLOCK) }
            return descriptor
        #endif
    }

    /// Starts to connect. Returns false when that fails immediately.
    func connect(_ descriptor: Int32) -> Bool {
        bytes.withUnsafeBytes { raw in
            guard let address = raw.baseAddress?.assumingMemoryBound(to: sockaddr.self) else { return false }
            #if canImport(Glibc)
                let status = Glibc.connect(descriptor, address, socklen_t(raw.count))
            #else
                let status = Darwin.connect(descriptor, address, socklen_t(raw.count))
            #endif
            return status == 0 || errno == EINPROGRESS
        }
    }
}
