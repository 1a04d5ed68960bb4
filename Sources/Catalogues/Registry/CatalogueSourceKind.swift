package import Settings

/// A kind of catalogue source in the configuration. It reads its settings first and opens later.
///
/// Reading the settings has no external effects, so that `gatefold config check` works anywhere.
package protocol CatalogueSourceKind: Sendable {
    /// The value of `kind` in the configuration.
    static var name: String { get }

    /// - Throws: `SettingsError` for unusable settings. The caller rejects unknown keys.
    init(_ settings: SettingsSection) throws(SettingsError)

    /// Creates the source. Sends no request yet.
    func open() throws -> any CatalogueSource
}

/// The registry of catalogue source kinds. A new kind needs a folder, a conformance to ``CatalogueSourceKind`` and
/// a line here.
package enum CatalogueSourceRegistry {
    static let kinds: [any CatalogueSourceKind.Type] = [
        AtomCatalogueKind.self,
        BakerCatalogueKind.self,
        DatabaseCatalogueKind<ODBCCatalogueQuery>.self,
        DatabaseCatalogueKind<PostgreSQLCatalogueQuery>.self,
        DatabaseCatalogueKind<SQLiteCatalogueQuery>.self,
    ]

    /// Reads a source's settings according to their `kind`.
    package static func read(_ settings: SettingsSection) throws(SettingsError) -> any CatalogueSourceKind {
        let names = kinds.map { $0.name }.joined(separator: ", ")
        let kind = try settings.requiredString("kind", expected: "one of \(names)")
        guard let type = kinds.first(where: { $0.name == kind }) else {
            throw settings.error("kind", expected: "expected one of \(names)")
        }
        return try type.init(settings)
    }
}
