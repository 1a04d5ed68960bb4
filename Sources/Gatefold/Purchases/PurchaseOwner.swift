/// Somebody to whom purchases belong, as a pseudonym: 128 bits of a keyed digest.
///
/// An installation of an app, an account of a provider, or a subscriber. Those linked with a subscriber are one person with it.
public struct PurchaseOwner: Hashable, Sendable, CustomStringConvertible {
    public static let size = 16
    public let bytes: [UInt8]

    /// Returns nil unless there are exactly ``size`` bytes.
    public init?(bytes: some Collection<UInt8>) {
        guard bytes.count == Self.size else { return nil }
        self.bytes = Array(bytes)
    }

    /// Reads the form that ``description`` writes.
    public init?(_ text: some StringProtocol) {
        guard let bytes = Hexadecimal.decode(text) else { return nil }
        self.init(bytes: bytes)
    }

    fileprivate init(digest: [UInt8]) {
        bytes = Array(digest.prefix(Self.size))
    }

    public var description: String { Hexadecimal.encode(bytes) }
}

extension ReferenceKey {
    /// The owner that a subscriber is.
    public func owner(_ subscriber: Subscriber) -> PurchaseOwner {
        PurchaseOwner(digest: digest("owner", ["subscriber", subscriber.backend, subscriber.key]))
    }

    /// The owner that an installation of an app is (PROTOCOLS 2.1: the `user_id` that Baker makes once).
    ///
    /// - Parameter app: the bundle identifier: installations of two apps have nothing in common.
    public func owner(installation: String, of app: String) -> PurchaseOwner {
        PurchaseOwner(digest: digest("owner", ["installation", app, installation]))
    }

    /// The owner that an account of a provider is (PROTOCOLS 4).
    public func owner(account: String, of publication: PublicationID) -> PurchaseOwner {
        PurchaseOwner(digest: digest("owner", ["account", publication.rawValue, account]))
    }
}
