#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How many files and connections the system lets this process have open.
public enum OpenFileLimit {
    /// Kept free for databases and reading the configuration again.
    private static let reserve = 256

    /// Takes as many as the system allows at most; many systems begin with 1,024.
    public static func raise() {
        var limit = current
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }

    /// The connections the main listener takes; further ones wait until one closes. A little more than half of what there is, for
    /// most connections wait and have no file open besides themselves.
    static var connections: Int { max(16, free / 20 * 11) }

    /// The files that are open at a time for downloads: what connections leave, and a few for those of connections that have just
    /// closed. An HTTP/2 connection can have a hundred, and takes them from others.
    static var downloads: Int { max(16, free - connections) + reserve / 4 }

    private static var free: Int { most - reserve - adminConnections }

    /// The connections the admin listener takes: a handful of people and programs ask it, and some never hang up.
    static var adminConnections: Int { min(256, max(32, most / 8)) }

    private static var most: Int { Int(clamping: current.rlim_cur) }

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
