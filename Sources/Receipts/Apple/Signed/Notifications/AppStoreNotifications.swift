package import Commerce
package import Foundation
import JSON

/// A reader of App Store Server Notifications of version 2.
///
/// Source: App Store protocol, “Notifications V2”.
package struct AppStoreNotifications: Sendable {
    private let payloads: SignedPayloads

    /// The maximum size of a notification in bytes. It exceeds any genuine notification and equals the limit of a
    /// front door.
    package static let maxLength = 1 << 20

    package init(_ payloads: SignedPayloads) {
        self.payloads = payloads
    }

    /// Returns the verdict on a notification.
    ///
    /// - Parameter body: `{"signedPayload": JWS}`.
    /// - Throws: An error if Apple is unavailable.
    package func verdict(
        on body: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> NotificationVerdict {
        do {
            return .event(try await event(in: body, allowing: allowed, at: timestamp))
        } catch let rejection as ReceiptRejection {
            return .rejected(rejection)
        }
    }

    private func event(
        in body: [UInt8], allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> StoreEvent {
        guard body.count <= Self.maxLength, let outer = try? JSONParser.parse(body),
            let text = outer["signedPayload"]?.text
        else { throw ReceiptRejection(.malformed) }
        let notification = try NotificationPayload(
            await payloads.payload(
                text, allowing: allowed, at: timestamp, environment: NotificationPayload.environment(of:)))
        try requireOwnApp(notification)
        try payloads.requireAllowedEnvironment(notification.environment, allowed)
        return StoreEvent(
            store: payloads.apps.store, id: notification.id, name: notification.name, signed: notification.signed,
            transactions: try await transactions(of: notification, allowing: allowed, at: timestamp))
    }

    private func requireOwnApp(_ notification: NotificationPayload) throws(ReceiptRejection) {
        guard let bundle = notification.bundle, payloads.apps.bundles.contains(bundle) else {
            throw ReceiptRejection(.wrongApp)
        }
        if notification.environment == .production, let expected = payloads.apps.appID,
            notification.appID != expected
        {
            throw ReceiptRejection(.wrongApp)
        }
    }

    /// Returns the transaction of a notification with its grace period, or an empty array if the notification has
    /// no transaction.
    private func transactions(
        of notification: NotificationPayload, allowing allowed: Set<StoreEnvironment>, at timestamp: Date
    ) async throws -> [StoreTransaction] {
        guard notification.subject == .data,
            let text = notification.content["signedTransactionInfo"]?.text
        else { return [] }
        let transaction = try await payloads.transaction(text, allowing: allowed, at: timestamp)
        var renewals: [SignedRenewalInfo] = []
        if let text = notification.content["signedRenewalInfo"]?.text {
            renewals.append(try await payloads.renewalInfo(text, allowing: allowed, at: timestamp))
        }
        guard transaction.environment == notification.environment else { throw ReceiptRejection(.wrongEnvironment) }
        return PurchaseTimeline.transactions([transaction], renewals: renewals, of: payloads.apps.store)
    }
}
