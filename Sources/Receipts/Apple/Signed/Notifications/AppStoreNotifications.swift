package import Foundation
package import Gatefold
import JSON

/// Reads App Store Server Notifications of version 2 (PROTOCOLS 6.3).
package struct AppStoreNotifications: Sendable {
    private let payloads: SignedPayloads

    /// In bytes: more than any has, and what a front door takes at most.
    package static let longest = 1 << 20

    package init(_ payloads: SignedPayloads) {
        self.payloads = payloads
    }

    /// - Parameter body: `{"signedPayload": JWS}`.
    /// - Throws: what says that Apple could not be asked.
    package func verdict(
        on body: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> NotificationVerdict {
        do {
            return .event(try await event(in: body, allowing: allowed, at: moment))
        } catch let refusal as ReceiptRefusal {
            return .refused(refusal)
        }
    }

    private func event(
        in body: [UInt8], allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> StoreEvent {
        guard body.count <= Self.longest, let outer = try? JSONParser.parse(body),
            let text = outer["signedPayload"]?.text
        else { throw ReceiptRefusal(.malformed) }
        let notification = try NotificationPayload(
            await payloads.payload(
                text, allowing: allowed, at: moment, environment: NotificationPayload.environment(of:)))
        try requireOurs(notification)
        try payloads.requireCounting(notification.environment, allowed)
        return StoreEvent(
            store: payloads.apps.store, id: notification.id, name: notification.name, signed: notification.signed,
            transactions: try await transactions(of: notification, allowing: allowed, at: moment))
    }

    private func requireOurs(_ notification: NotificationPayload) throws(ReceiptRefusal) {
        guard let bundle = notification.bundle, payloads.apps.bundles.contains(bundle) else {
            throw ReceiptRefusal(.wrongApp)
        }
        if notification.environment == .production, let expected = payloads.apps.appID,
            notification.appID != expected
        {
            throw ReceiptRefusal(.wrongApp)
        }
    }

    /// Its one transaction, a grace period included; none where it tells of none.
    private func transactions(
        of notification: NotificationPayload, allowing allowed: Set<StoreEnvironment>, at moment: Date
    ) async throws -> [StoreTransaction] {
        guard notification.subject == .data,
            let text = notification.content["signedTransactionInfo"]?.text
        else { return [] }
        let transaction = try await payloads.transaction(text, allowing: allowed, at: moment)
        var renewals: [SignedRenewalInfo] = []
        if let text = notification.content["signedRenewalInfo"]?.text {
            renewals.append(try await payloads.renewalInfo(text, allowing: allowed, at: moment))
        }
        guard transaction.environment == notification.environment else { throw ReceiptRefusal(.wrongEnvironment) }
        return PurchaseCourse.transactions([transaction], renewals: renewals, of: payloads.apps.store)
    }
}
