#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// The environment variables from which libpq would take parameters that the configuration of a server does not
/// name.
///
/// libpq has no value for "none" (an empty value counts as not given), so the variables are removed from the
/// environment, once and before libpq is used. If none is set, as in a service, the environment is unchanged.
enum LibPQEnvironment {
    /// The names of these variables (PostgreSQL manual, section 34.15). The list omits the parameters that
    /// ``PostgreSQLServer`` always sets, and `PGPASSWORD`, because an operator may store the secret that the
    /// configuration requires there.
    static let names = [
        "PGCHANNELBINDING", "PGDATESTYLE", "PGGEQO", "PGGSSLIB", "PGHOSTADDR", "PGKRBSRVNAME", "PGOPTIONS",
        "PGREQUIREPEER",
        "PGREQUIRESSL", "PGSERVICE", "PGSERVICEFILE", "PGSSLCOMPRESSION", "PGSSLCRL", "PGSSLCRLDIR",
        "PGSSLMAXPROTOCOLVERSION", "PGSSLMINPROTOCOLVERSION", "PGSSLSNI", "PGSYSCONFDIR", "PGTZ",
    ]

    /// A constant whose first use removes the variables, once per process.
    static let ignore: Void = {
        for name in names where getenv(name) != nil { unsetenv(name) }
    }()
}
