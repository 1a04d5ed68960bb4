/// The owner of purchases, as a pseudonym: 128 bits of a keyed digest.
///
/// An owner is an installation of an app, an account of a provider, or a subscriber. Owners that are linked with a
/// subscriber are the same person.
public typealias PurchaseOwner = Pseudonym<PurchaseOwnerKind>

public enum PurchaseOwnerKind: PseudonymKind {
    public static let size = 16
}

extension PseudonymKey {
    /// Returns the owner that represents a subscriber.
    public func owner(_ subscriber: Subscriber) -> PurchaseOwner {
        pseudonym("owner", "subscriber", subscriber.backend, subscriber.key)
    }

    /// Returns the owner that represents an installation of an app: the `user_id` that Baker creates once per
    /// installation.
    ///
    /// Source: Baker protocol, “Common parameters”.
    ///
    /// - Parameters:
    ///   - installation: The identifier that the app created for the installation.
    ///   - app: The bundle identifier. Installations of two apps are unrelated.
    public func owner(installation: String, of app: String) -> PurchaseOwner {
        pseudonym("owner", "installation", app, installation)
    }

    /// Returns the owner that represents an account of a provider.
    ///
    /// Source: Cloud Softphone protocol, “Template variables”.
    public func owner(account: String, of publication: PublicationID) -> PurchaseOwner {
        pseudonym("owner", "account", publication.rawValue, account)
    }
}
