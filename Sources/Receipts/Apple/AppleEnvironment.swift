package import Gatefold

/// The words by which Apple names where a receipt comes from (PROTOCOLS 6.1 to 6.3).
package enum AppleEnvironment {
    private static let words: [String: StoreEnvironment] = [
        "Production": .production,
        // Bought in volume by an organisation.
        "ProductionVPP": .production,
        "ProductionSandbox": .sandbox,
        "ProductionVPPSandbox": .sandbox,
        "Sandbox": .sandbox,
        "Xcode": .xcode,
        "LocalTesting": .localTesting,
    ]

    /// Nil for a word that is not known: nothing may count as bought because of it.
    package static func named(_ word: String) -> StoreEnvironment? { words[word] }
}
