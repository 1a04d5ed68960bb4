package import Commerce

/// The names that Apple gives to the environment of a receipt.
///
/// Source: App Store protocol, “Unified receipts” and “Environments without a signature”.
package enum AppleEnvironment {
    private static let names: [String: StoreEnvironment] = [
        "Production": .production,
        // An organisation bought it in volume.
        "ProductionVPP": .production,
        "ProductionSandbox": .sandbox,
        "ProductionVPPSandbox": .sandbox,
        "Sandbox": .sandbox,
        "Xcode": .xcode,
        "LocalTesting": .localTesting,
    ]

    /// Returns the environment of a name, or nil if the name is unknown, because an unknown name must not prove a
    /// purchase.
    package static func named(_ name: String) -> StoreEnvironment? { names[name] }
}
