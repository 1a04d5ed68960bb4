import Accounts
import Foundation
import Gatefold
import JSON

/// A notification to an account's apps, as they read it.
///
/// Source: InPlayer notifications protocol, “Notification envelope”.
struct AccountNotification {
    let type: String
    let resource: JSONValue

    init(type: String, resource: JSONValue = .object([])) {
        self.type = type
        self.resource = resource
    }

    /// All of the account's sessions were ended.
    static let signedOut = AccountNotification(type: "account.logout")
    static let accountErased = AccountNotification(type: "account.erased")

    func payload(at timestamp: Date) -> [UInt8] {
        JSONWriter.bytes(["type": .string(type), "timestamp": .seconds(timestamp), "resource": resource])
    }
}

extension InPlayerPublication {
    /// Notifies an account's apps, if notifications are available.
    func notify(_ notification: AccountNotification, to account: Account) {
        guard let publisher = tools.notificationPublisher else { return }
        publisher.publish(notification.payload(at: now), to: account.uuid)
        // Nothing is recorded about an erased reader.
        guard notification.type != AccountNotification.accountErased.type else { return }
        authorizationService.timeline?.record(
            TimelineEvent(.notificationPublished, in: id, detail: notification.type), of: .owner(account.owner))
    }
}
