#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// The limit of files and connections that this process may have open.
public enum OpenFileLimit {
    /// The number of descriptors that are reserved for databases and for reading the configuration again.
    private static let reserve = 256

    /// Raises the limit to the maximum that the system allows. Many systems start processes with 1024.
    public static func raise() {
        var limit = current
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }

    /// The maximum number of connections of the main listener. Further connections wait until one closes. The
    /// number is a little more than half of the free descriptors, because most connections are idle and have no
    /// other file open.
    static var connections: Int { max(16, free / 20 * 11) }

    /// The maximum number of open files for downloads: the descriptors that connections leave, and a few for the
    /// files of connections that have just closed. An HTTP/2 connection can have a hundred downloads, at the
    /// expense of others.
    static var downloads: Int { max(16, free - connections) + reserve / 4 }

    private static var free: Int { maxOpenFiles - reserve - adminConnections }

    /// The maximum number of connections of the admin listener. A few people and programs use it, and some never
    /// close their connections.
    static var adminConnections: Int { min(256, max(32, maxOpenFiles / 8)) }

    private static var maxOpenFiles: Int { Int(clamping: current.rlim_cur) }

    private static var current: rlimit {
        var limit = rlimit()
        getrlimit(resource, &limit)
        return limit
    }

    #if canImport(Glibc)
        private static let resource = __rlimit_resource_t(RLIMIT_NOFILE.rawValue)
    #else
        private static let resource = RLIMIT_NOFILE
    #endif
}
