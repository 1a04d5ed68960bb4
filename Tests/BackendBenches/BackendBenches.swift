/// Every bench there is; a new backend adds its own here, and the common suites run against it.
public enum BackendBenches {
    public static let all: [any BackendBench.Type] = [
        ODBCMariaDBBench.self,
        ODBCPostgreSQLBench.self,
        ODBCSQLiteBench.self,
        PostgreSQLBench.self,
        LDAPBench.self,
        HTTPServiceBench.self,
        PostgreSQLBench.self,
        SOAPBench.self,
        SQLiteBench.self,
        FeedBench.self,
        SQLiteBench.self,
        ProcessBench.self,
        ChainBench.self,
    ]
}
