package import Settings

/// A kind of catalogue source, as the configuration names it: reads its settings, then opens.
///
/// Reading touches nothing outside, so that `gatefold config check` can do it anywhere.
package protocol CatalogueSourceKind: Sendable {
    /// The value of `kind` in the configuration.
    static var name: String { get }

    /// - Throws: `SettingsError` for settings this kind can not use. Unknown ones are refused by whoever calls.
    init(_ settings: SettingsSection) throws(SettingsError)

    /// Asks nobody yet.
    func open() throws -> any CatalogueSource
}

/// Every kind of catalogue source there is: a new one is a folder, a conformance to ``CatalogueSourceKind`` and a line here.
package enum CatalogueSourceRegistry {
    static let kinds: [any CatalogueSourceKind.Type] = [
        AtomCatalogueKind.self,
        BakerCatalogueKind.self,
        DatabaseCatalogueKind<ODBCCatalogueQuery>.self,
        DatabaseCatalogueKind<PostgreSQLCatalogueQuery>.self,
        DatabaseCatalogueKind<SQLiteCatalogueQuery>.self,
    ]

    /// Reads a source's settings by the kind they name.
    package static func read(_ settings: SettingsSection) throws(SettingsError) -> any CatalogueSourceKind {
        let names = kinds.map { $0.name }.joined(separator: ", ")
        let kind = try settings.requiredString("kind", expected: "one of \(names)")
        guard let type = kinds.first(where: { $0.name == kind }) else {
            throw settings.error("kind", expected: "expected one of \(names)")
        }
        return try type.init(settings)
    }
}
