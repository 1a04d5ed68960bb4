extension PublicationProxy {
    /// The session of a good token; nil for any other.
    public func session(token: String) -> Session? {
        guard case .good(let who) = read(token) else { return nil }
        return who.session
    }

    /// The reader as purchases name them.
    public func owner(of subscriber: Subscriber) -> PurchaseOwner { references.owner(subscriber) }

    /// The same publication for sessions in another form.
    public func with(tokens: any TokenCodec) -> PublicationProxy {
        PublicationProxy(self, tokens: tokens)
    }
}
