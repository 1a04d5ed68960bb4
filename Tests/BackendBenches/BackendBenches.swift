/// Every bench there is; a new backend adds its own here, and the common suites run against it.
public enum BackendBenches {
    public static let all: [any BackendBench.Type] = [
        ChainBench.self,
        FeedBench.self,
        HTTPServiceBench.self,
        LDAPBench.self,
        ODBCMariaDBBench.self,
        ODBCPostgreSQLBench.self,
        ODBCSQLiteBench.self,
        PostgreSQLBench.self,
        ProcessBench.self,
        PugpigBench.self,
        SOAPBench.self,
        SQLiteBench.self,
    ]
}
