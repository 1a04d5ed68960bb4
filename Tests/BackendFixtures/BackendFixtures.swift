/// All fixtures of backends. A new backend adds its own here, and the common suites run against it.
public enum BackendFixtures {
    public static let all: [any BackendFixture.Type] = [
        ChainFixture.self,
        FeedFixture.self,
        HTTPServiceFixture.self,
        LDAPFixture.self,
        ODBCMariaDBFixture.self,
        ODBCPostgreSQLFixture.self,
        ODBCSQLiteFixture.self,
        PostgreSQLFixture.self,
        ProcessFixture.self,
        PugpigFixture.self,
        RegistryFixture.self,
        SOAPFixture.self,
        SQLiteFixture.self,
    ]
}
