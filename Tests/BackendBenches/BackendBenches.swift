/// Every bench there is; a new backend adds its own here, and the common suites run against it.
public enum BackendBenches {
    public static let all: [any BackendBench.Type] = [
        LDAPBench.self,
        HTTPServiceBench.self,
        PostgreSQLBench.self,
        PugpigBench.self,
        SOAPBench.self,
        SQLiteBench.self,
    ]
}
