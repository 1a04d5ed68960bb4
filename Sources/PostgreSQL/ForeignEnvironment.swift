#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The environment's variables that libpq would take parameters from which a server's configuration does not name.
///
/// libpq has no value for "none" (an empty one counts as not given), so they are taken out of the environment, once and
/// before libpq is used. Where none is set, as in a service, the environment is not touched.
enum ForeignEnvironment {
    /// PostgreSQL manual, section 34.15. Not among them is what ``PostgreSQLServer`` always names, and `PGPASSWORD`, in
    /// which an operator may keep the very secret that the configuration asks for.
    static let names = [
        "PGCHANNELBINDING", "PGDATESTYLE", "PGGEQO", "PGGSSLIB", "PGHOSTADDR", "PGKRBSRVNAME", "PGOPTIONS",
        "PGREQUIREPEER",
        "PGREQUIRESSL", "PGSERVICE", "PGSERVICEFILE", "PGSSLCOMPRESSION", "PGSSLCRL", "PGSSLCRLDIR",
        "PGSSLMAXPROTOCOLVERSION", "PGSSLMINPROTOCOLVERSION", "PGSSLSNI", "PGSYSCONFDIR", "PGTZ",
    ]

    /// Once in the life of the process.
    static let ignore: Void = {
        for name in names where getenv(name) != nil { unsetenv(name) }
    }()
}
