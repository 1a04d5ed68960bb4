public import Gatefold
public import Settings

/// A kind of app store as the configuration names it: reads its settings, then opens.
///
/// Reading touches nothing outside but the files of keys and roots that it names.
public protocol StoreSettings: Sendable {
    /// The value of `kind` in the configuration.
    static var kind: StoreKind { get }

    /// - Throws: ``SettingsError`` for settings this kind can not use, unknown ones included.
    init(name: StoreName, settings: SettingsSection) throws(SettingsError)

    /// The environments whose receipts can be verified at all; a publication says which of them count.
    var environments: Set<StoreEnvironment> { get }

    func open(_ services: StoreServices) throws -> any ReceiptVerifier
}

/// What stores share.
public struct StoreServices: Sendable {
    public let clock: WallClock
    public let random: RandomSource

    public init(clock: WallClock, random: RandomSource) {
        self.clock = clock
        self.random = random
    }
}
