import Gatefold

/// The environments by the names Apple gives them (PROTOCOLS 6.3).
enum AppleEnvironment {
    static func named(_ name: String) -> StoreEnvironment? {
        switch name {
        case "Production": .production
        case "Sandbox": .sandbox
        case "Xcode": .xcode
        case "LocalTesting": .localTesting
        default: nil
        }
    }
}
