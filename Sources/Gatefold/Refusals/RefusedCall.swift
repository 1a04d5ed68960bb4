/// The kind of call that was refused, the same for all app protocols. The raw value is a label of the metric.
public enum RefusedCall: String, Sendable, CaseIterable {
    case signIn = "sign_in"
    case renewal = "renew"
    case verification = "verify"
    case editionCredentials = "edition_credentials"
    case signOut = "sign_out"
    /// A list of what a reader or an installation may read.
    case access
    /// A receipt of an app store, to be recorded.
    case purchase
    /// The registration, the password, the details or the messages of a reader's account.
    case account
    /// A shelf, a feed, an item or its price.
    case catalogue
    case pushToken = "push_token"
    /// The link between an installation and a reader.
    case linking
    /// The message of an app store.
    case storeNotification = "store_notification"
    /// The subscription of an app to notifications, at the broker.
    case notifications
    /// A download at the gate.
    case download
    /// Any other call, or one that could not be understood.
    case other
}
