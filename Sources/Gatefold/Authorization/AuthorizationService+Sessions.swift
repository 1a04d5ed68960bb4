extension AuthorizationService {
    /// Returns the session of a valid token, or nil for any other token.
    public func session(token: String) -> Session? {
        guard case .good(let authenticated) = read(token) else { return nil }
        return authenticated.session
    }

    /// Returns the session of any token of this publication, also of one that has expired or was revoked, for an operator.
    package func sessionOfAnyToken(_ token: String) -> Session? { tokens.open(token) }

    /// Returns the owner that represents the reader in purchases.
    public func owner(of subscriber: Subscriber) -> PurchaseOwner { pseudonymKey.owner(subscriber) }
}
