import Accounts
import Commerce
import Foundation
import Gatefold
import Hummingbird
import JSON

/// The calls that send an e-mail message to a reader. They are not offered if no e-mail can be sent.
extension InPlayerRequestHandler {
    func sendPIN() async throws -> Response {
        guard let mail = front.tools.mail, let codes = front.tools.codes else { throw InPlayerRejection.notOffered }
        let account = try await account(of: try await reader())
        try await mailLimit("pin", account)
        let now = front.now
        guard let code = try await codes.issue(for: mailbox(account), at: now),
            await mail(
                EmailMessage(
                    to: account.details.identifier, subject: "Your code: \(code)",
                    text: "Your code is \(code). It is valid for ten minutes.\n", owner: account.owner,
                    expiresAt: now.addingTimeInterval(PINCodes.lifetime)))
        else { throw InPlayerRejection.unavailable(60, .overloaded) }
        return InPlayerResponse.done("The code was sent")
    }

    func validatePIN() async throws -> Response {
        guard front.tools.mail != nil, let codes = front.tools.codes else { throw InPlayerRejection.notOffered }
        let account = try await account(of: try await reader())
        guard try await codes.redeem(try required("pin_code"), of: mailbox(account), at: front.now) else {
            throw InPlayerRejection.field("pin_code", "The code is incorrect or has expired.", .pinRejected)
        }
        return InPlayerResponse.done("The code is correct")
    }

    /// The time after a sign-in during which an export needs no password, in seconds, because web apps send none.
    /// Renewals do not extend it.
    private static let freshness: TimeInterval = 3600

    /// Mails all known data about a reader, as JSON, to the reader's own address only.
    ///
    /// If readers have a password in the registry, it requires the password or a sign-in within the last hour. A
    /// password that is sent must be correct.
    func export() async throws -> Response {
        guard let mail = front.tools.mail else { throw InPlayerRejection.notOffered }
        let reader = try await reader()
        if front.signedIn.hasRegistry, field("password") != nil || !isFresh(reader.session) {
            let password = try required("password")
            do {
                try await front.signedIn.verifyPassword(password, token: reader.token, context())
            } catch let rejection as AccountError {
                throw rejection.rejection(front.signedIn.passwords)
            }
        }
        let account = try await account(of: reader)
        try await mailLimit("export", account)
        let known = try await everything(of: reader, account)
        guard
            await mail(
                EmailMessage(
                    to: account.details.identifier, subject: "Your data",
                    text: "This is all data that is stored about you:\n\n"
                        + String(decoding: JSONWriter.bytes(known), as: UTF8.self) + "\n", owner: account.owner))
        else { throw InPlayerRejection.unavailable(60, .overloaded) }
        return InPlayerResponse.done("Your data was sent by e-mail")
    }

    private func isFresh(_ session: Session) -> Bool {
        (0..<Self.freshness).contains(front.now.timeIntervalSince(session.issuedAt))
    }

    private func everything(of reader: InPlayerReader, _ account: Account) async throws -> JSONValue {
        let subscription = try await front.access.verify(
            token: reader.token, context(), reportsState: false
        ).subscription
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
                        "revoked": transaction.revoked.map { .seconds($0) } ?? .null,
                    ]
                }),
        ]
    }

    private func mailLimit(_ kind: String, _ account: Account) async throws(InPlayerRejection) {
        if let wait = await front.tools.mailLimit.wait(for: "\(kind) \(mailbox(account))", at: front.elapsed) {
            throw .throttled(wait, message(.throttled), .mailLimit)
        }
    }

    private func mailbox(_ account: Account) -> String { "\(account.publication) \(account.uuid)" }
}
