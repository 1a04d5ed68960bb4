public import Commerce
public import Settings

/// The registry of all kinds of app stores. A new kind is a folder, a conformance to ``StoreSettings`` and a line
/// here.
public enum StoreRegistry {
    static let kinds: [any StoreSettings.Type] = [
        AmazonStoreSettings.self,
        AppleStoreSettings.self,
        GoogleStoreSettings.self,
    ]

    /// Reads the settings of one store according to their `kind`.
    public static func read(name: StoreName, settings: SettingsSection) throws(SettingsError) -> any StoreSettings {
        let names = StoreKind.allCases.map(\.rawValue).joined(separator: ", ")
        let kind = try settings.requiredString("kind", expected: "one of \(names)")
        guard let type = kinds.first(where: { $0.kind.rawValue == kind }) else {
            throw settings.error("kind", expected: "expected one of \(names)")
        }
        return try type.init(name: name, settings: settings)
    }
}
