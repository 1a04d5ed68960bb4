extension AccountDesk {
    /// Checks the present password of whoever is signed in, under the limits of sign-in.
    ///
    /// - Throws: ``AccountRefusal`` or ``Unavailable``.
    public func prove(_ password: String, token: String, _ inquiry: Inquiry) async throws {
        let (session, registry) = try registered(token)
        _ = try await prove(password, of: session.subscriber, in: registry, inquiry)
    }
}
