/// A backend that accepts other types of credentials than typed ones.
public protocol CredentialSelectingBackend: SubscriberBackend {
    /// Returns whether the backend accepts credentials of this type.
    ///
    /// A system without receipt support never receives receipts, and a store never receives typed credentials.
    func accepts(_ kind: Credentials.Kind) -> Bool
}
