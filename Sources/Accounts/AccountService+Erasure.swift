import Foundation
public import Gatefold

extension AccountService {
    /// Erases a reader permanently: sessions, devices, purchases, account and subscriber.
    ///
    /// Sessions end first, so that no session of a partly erased reader can be used. If a later step fails, the
    /// reader can sign in again and repeat the erasure.
    ///
    /// - Returns: The erased account, if there was one.
    /// - Throws: ``AccountError`` or `Unavailable`.
    @discardableResult
    public func erase(token: String, password: String, _ context: CallContext) async throws -> Account? {
        let (session, registry) = try registered(token)
        let subscriber = session.subscriber
        _ = try await verifyPassword(password, of: subscriber, in: registry, context)
        let known = try await account(of: subscriber)
        try await revokeSessions(of: subscriber)
        let reference = authorizationService.pseudonymKey.reference(to: subscriber)
        let owner = authorizationService.pseudonymKey.owner(subscriber)
        if let ledger {
            _ = try await authorizationService.withStore { try await ledger.erase(owner) }
        } else {
            try await authorizationService.purchaseSource?.erase(owner)
        }
        try await authorizationService.withStore {
            for publication in revocationLists.map(\.publication) {
                for device in try await authorizationService.state.devices(of: reference, in: publication) {
                    try await authorizationService.state.remove(device.reference, of: reference, in: publication)
                }
            }
            // Accounts are erased in all publications, because the reader disappears from each publication that
            // queries this subscriber system.
            _ = try await accountStore.eraseAccounts(of: owner)
            try await eraseTimeline(of: subscriber, identifier: known?.details.identifier)
            _ = try await registry.erase(subscriber)
            // This second call is needed because a parallel call may have created an account while the subscriber
            // still existed.
            _ = try await accountStore.eraseAccounts(of: owner)
        }
        await revokeLateSessions(of: subscriber)
        // Events of sign-ins that ran meanwhile. If this fails, they are deleted by age.
        _ = try? await eraseTimeline(of: subscriber, identifier: known?.details.identifier)
        return known
    }

    /// Deletes what the timeline has about a reader, also by the identifier of the account.
    private func eraseTimeline(of subscriber: Subscriber, identifier: String?) async throws {
        guard let timeline = authorizationService.timeline else { return }
        var reader = TimelineReader()
        reader.add(subscriber, authorizationService.pseudonymKey)
        if let identifier { reader.add(identifier: identifier, authorizationService.pseudonymKey) }
        _ = try await timeline.erase(Array(reader.subjects))
    }
}
