import Foundation

extension AccountDesk {
    /// Erases a reader for good: sessions, devices, purchases, account and subscriber.
    ///
    /// Sessions end first, so that nothing of a reader who is half erased can be used; whoever then signs in again can have the
    /// rest erased.
    ///
    /// - Returns: the account that was, where there was one.
    /// - Throws: ``AccountRefusal`` or ``Unavailable``.
    @discardableResult
    public func erase(token: String, password: String, _ inquiry: Inquiry) async throws -> Account? {
        let (session, registry) = try registered(token)
        let subscriber = session.subscriber
        _ = try await prove(password, of: subscriber, in: registry, inquiry)
        let known = try await account(of: subscriber)
        try await endSessions(of: subscriber)
        let publication = proxy.publication.id
        let reference = proxy.references.reference(to: subscriber)
        let owner = proxy.references.owner(subscriber)
        try await proxy.purchases?.erase(owner)
        try await proxy.keep {
            for device in try await proxy.state.devices(of: reference, in: publication) {
                try await proxy.state.remove(device.reference, of: reference, in: publication)
            }
            // Everywhere: the reader is gone from every publication that asks this subscriber system.
            _ = try await book.eraseAccounts(of: owner)
            _ = try await registry.erase(subscriber)
        }
        await endLatecomers(of: subscriber)
        return known
    }
}
