public import Commerce
public import Settings

/// An app store as the configuration names it. Its kind interprets the other settings.
public struct StoreConfiguration: Sendable {
    public let name: StoreName
    public let settings: SettingsSection

    /// The kind of the store; nil if the settings name none, which is an error when the store is opened.
    var kind: StoreKind? { (try? settings.string("kind")).flatMap { $0.flatMap { StoreKind(rawValue: $0) } } }

    static func read(_ section: SettingsSection) throws(SettingsError) -> [StoreConfiguration] {
        var stores: [StoreConfiguration] = []
        for name in section.names {
            guard let store = StoreName(name) else {
                throw section.error(name, expected: "expected a name of lower-case letters, digits, - and _")
            }
            stores.append(StoreConfiguration(name: store, settings: try section.section(name)))
        }
        return stores
    }
}
