package import Foundation
import Primitives

/// The rows that wait in the queues of a state, for its operator.
package struct StateStatus: Sendable, Encodable {
    /// A task that one process of all does.
    package struct Lease: Sendable, Encodable {
        package let name: String
        package let ends: Date
    }

    package let revocations: Int
    package let sharedFacts: Int
    /// The number of receipts that the app store has not verified yet.
    package let receiptsWaiting: Int
    package let deliveriesWaiting: Int
    package let campaignsUnfinished: Int
    /// The number of e-mails that wait for the mail server, those without a recorded outcome included.
    package let mailWaiting: Int
    /// The number of e-mails whose last attempt has no recorded outcome. They are attempted again or abandoned.
    package let mailOutcomeUnknown: Int
    package let leases: [Lease]

    enum CodingKeys: String, CodingKey {
        case revocations, leases
        case sharedFacts = "shared_facts"
        case receiptsWaiting = "receipts_waiting"
        case deliveriesWaiting = "deliveries_waiting"
        case campaignsUnfinished = "campaigns_unfinished"
        case mailWaiting = "mail_waiting"
        case mailOutcomeUnknown = "mail_outcome_unknown"
    }
}

extension SQLStateStore {
    package func status() async throws -> StateStatus {
        try await database.read { db in
            StateStatus(
                revocations: try db.count("SELECT count(*) FROM revocation"),
                sharedFacts: try db.count("SELECT count(*) FROM shared_fact"),
                receiptsWaiting: try db.count("SELECT count(*) FROM receipt WHERE status = 'waiting'"),
                deliveriesWaiting: try db.count(
                    "SELECT count(*) FROM delivery WHERE delivered IS NULL AND account IS NOT NULL"),
                campaignsUnfinished: try db.count("SELECT count(*) FROM push_campaign WHERE finished IS NULL"),
                mailWaiting: try db.count("SELECT count(*) FROM mail"),
                mailOutcomeUnknown: try db.count(
                    "SELECT count(*) FROM mail WHERE lease IS NOT NULL AND next <= ?",
                    [self.clock.now.timeIntervalSince1970]),
                leases: try db.rows(
                    "SELECT name, ends FROM lease WHERE ends > ? ORDER BY name", [self.clock.now.timeIntervalSince1970]
                ).map {
                    StateStatus.Lease(
                        name: try StateRow.text($0, 0, "lease"), ends: try StateRow.date($0, 1, "lease"))
                })
        }
    }
}
