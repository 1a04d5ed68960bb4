import Foundation
import Gatefold
import Hummingbird
import JSON

/// Calls that send a reader something by mail; where no mail can be sent they are not offered.
extension InPlayerQuestion {
    func sendPIN() async throws -> Response {
        guard let mail = front.tools.mail, let codes = front.tools.codes else { throw InPlayerRefusal.notOffered }
        let account = try await account(of: try await reader())
        try pace("pin", account)
        guard let code = try await codes.issue(for: mailbox(account), at: front.now),
            mail(
                Letter(
                    to: account.details.identifier, subject: "Your code: \(code)",
                    text: "Your code is \(code). It is good for ten minutes.\n"))
        else { throw InPlayerRefusal.unavailable(60) }
        return InPlayerAnswer.done("The code was sent")
    }

    func validatePIN() async throws -> Response {
        guard front.tools.mail != nil, let codes = front.tools.codes else { throw InPlayerRefusal.notOffered }
        let account = try await account(of: try await reader())
        guard try await codes.redeem(try required("pin_code"), of: mailbox(account), at: front.now) else {
            throw InPlayerRefusal.field("pin_code", "The code is not right, or not good any more.")
        }
        return InPlayerAnswer.done("The code is right")
    }

    /// For so long after a sign-in an export needs no password, in seconds: web apps send none. Renewals do not make it longer.
    private static let freshness: TimeInterval = 3600

    /// Mails everything that is known of a reader, as JSON, to the reader's own address, and to no other.
    ///
    /// Where readers have a password here it takes one, or a sign-in within the last hour. A password that is sent must be right.
    func export() async throws -> Response {
        guard let mail = front.tools.mail else { throw InPlayerRefusal.notOffered }
        let reader = try await reader()
        if front.signedIn.hasRegistry, field("password") != nil || !isFresh(reader.session) {
            let password = try required("password")
            do {
                try await front.signedIn.prove(password, token: reader.token, inquiry())
            } catch let refusal as AccountRefusal {
                throw refusal.refusal(front.signedIn.passwords)
            }
        }
        let account = try await account(of: reader)
        try pace("export", account)
        let known = try await everything(of: reader, account)
        guard
            mail(
                Letter(
                    to: account.details.identifier, subject: "Your data",
                    text: "This is everything that is known of you:\n\n"
                        + String(decoding: JSONWriter.bytes(known), as: UTF8.self) + "\n"))
        else { throw InPlayerRefusal.unavailable(60) }
        return InPlayerAnswer.done("Your data was sent by mail")
    }

    private func isFresh(_ session: Session) -> Bool {
        (0..<Self.freshness).contains(front.now.timeIntervalSince(session.issuedAt))
    }

    private func everything(of reader: InPlayerReader, _ account: Account) async throws -> JSONValue {
        let subscription = try await front.access.verify(token: reader.token, inquiry()).subscription
        let bought = try await front.transactions(of: reader.session.subscriber)
        return [
            "account": AccountDocument.value(account, front.settings),
            "subscription": [
                "state": .string(subscription.state.rawValue),
                "user_info": .array(
                    subscription.userInfo.map { fact in
                        ["kind": .string(fact.scheme), "value": .string(fact.value)]
                    }),
                "periods": .array(
                    subscription.periods.map { period in
                        ["start": .seconds(period.start), "end": period.end.map { .seconds($0) } ?? .null]
                    }),
            ],
            "purchases": .array(
                bought.map { transaction in
                    [
                        "store": .string(transaction.store.rawValue), "transaction": .string(transaction.id),
                        "product": .string(transaction.product), "purchased": .seconds(transaction.purchased),
                        "ends": transaction.ends.map { .seconds($0) } ?? .null,
                        "taken_back": transaction.revoked.map { .seconds($0) } ?? .null,
                    ]
                }),
        ]
    }

    private func pace(_ kind: String, _ account: Account) throws(InPlayerRefusal) {
        if let wait = front.tools.pace.wait(for: "\(kind) \(mailbox(account))", at: front.elapsed) {
            throw .throttled(wait, message(.throttled))
        }
    }

    private func mailbox(_ account: Account) -> String { "\(account.publication) \(account.uuid)" }
}
