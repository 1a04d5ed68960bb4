public import Commerce
public import Primitives
public import Settings

/// A kind of app store in the configuration. It reads its settings and then opens the store.
///
/// Reading has no side effects. It reads only the key and root files that the settings name.
public protocol StoreSettings: Sendable {
    /// The value of `kind` in the configuration.
    static var kind: StoreKind { get }

    /// Reads the settings.
    ///
    /// - Throws: `SettingsError` for invalid or unknown settings.
    init(name: StoreName, settings: SettingsSection) throws(SettingsError)

    /// The environments whose receipts can be verified. The publication defines which of them are allowed.
    var environments: Set<StoreEnvironment> { get }

    func open(_ services: StoreServices) throws -> any ReceiptVerifier
}

/// The services that all stores share.
public struct StoreServices: Sendable {
    public let clock: WallClock
    public let random: RandomSource

    public init(clock: WallClock, random: RandomSource) {
        self.clock = clock
        self.random = random
    }
}
