#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// How many files and connections the system lets this process have open.
public enum OpenFileLimit {
    /// Kept free for databases, the admin listener and reading the configuration again.
    private static let reserve = 256

    /// Takes as many as the system allows at most; many systems begin with 1,024.
    public static func raise() {
        var limit = current
        limit.rlim_cur = limit.rlim_max
        setrlimit(resource, &limit)
    }

    /// The connections the main listener takes; further ones wait until one closes. Each may have a file open besides itself.
    static var connections: Int {
        let most = Int(clamping: current.rlim_cur)
        return max(16, (most - reserve) / 2)
    }

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
