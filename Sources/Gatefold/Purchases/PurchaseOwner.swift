/// Somebody to whom purchases belong, as a pseudonym: 128 bits of a keyed digest.
///
/// An installation of an app, an account of a provider, or a subscriber. Those linked with a subscriber are one person with it.
public typealias PurchaseOwner = Pseudonym<PurchaseOwnerKind>

public enum PurchaseOwnerKind: PseudonymKind {
    public static let size = 16
}

extension ReferenceKey {
    /// The owner that a subscriber is.
    public func owner(_ subscriber: Subscriber) -> PurchaseOwner {
        pseudonym("owner", "subscriber", subscriber.backend, subscriber.key)
    }

    /// The owner that an installation of an app is (PROTOCOLS 2.1: the `user_id` that Baker makes once).
    ///
    /// - Parameter app: the bundle identifier: installations of two apps have nothing in common.
    public func owner(installation: String, of app: String) -> PurchaseOwner {
        pseudonym("owner", "installation", app, installation)
    }

    /// The owner that an account of a provider is (PROTOCOLS 4).
    public func owner(account: String, of publication: PublicationID) -> PurchaseOwner {
        pseudonym("owner", "account", publication.rawValue, account)
    }
}
