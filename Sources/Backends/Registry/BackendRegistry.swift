public import Settings

/// The registry of all backend kinds. A new kind needs a folder, a conformance to ``BackendKind`` and a line here.
public enum BackendRegistry {
    static let kinds: [any BackendKind.Type] = [
        ChainBackendKind.self,
        FeedBackendKind.self,
        HTTPServiceKind.self,
        InPlayerBackendKind.self,
        LDAPBackendKind.self,
        ODBCBackendKind.self,
        PostgreSQLBackendKind.self,
        ProcessBackendKind.self,
        PugpigBackendKind.self,
        ReceiptsBackendKind.self,
        RegistryBackendKind.self,
        ShadowBackendKind.self,
        SQLiteBackendKind.self,
        TestUsersBackendKind.self,
    ]

    /// Reads the settings of a backend according to its kind.
    public static func read(name: String, settings: SettingsSection) throws(SettingsError) -> any BackendKind {
        try read(name: name, settings: settings, among: kinds)
    }

    static func read(
        name: String, settings: SettingsSection, among kinds: [any BackendKind.Type]
    ) throws(SettingsError) -> any BackendKind {
        let names = kinds.map { $0.name }.joined(separator: ", ")
        let kind = try settings.requiredString("kind", expected: "one of \(names)")
        guard let type = kinds.first(where: { $0.name == kind }) else {
            throw settings.error("kind", expected: "expected one of \(names)")
        }
        return try type.init(name: name, settings: settings)
    }
}
