import Commerce
import Foundation
import JSON

/// The fields of Apple's responseBodyV2DecodedPayload that Gatefold uses.
///
/// Source: App Store protocol, “Notifications V2”.
struct NotificationPayload: Sendable, Equatable {
    /// The member with the content of the notification. A payload has exactly one of the four.
    enum Subject: String, CaseIterable, Sendable {
        /// One transaction, or a test.
        case data
        /// The result of an extension of many renewals.
        case summary
        /// A purchase outside the store.
        case externalPurchaseToken
        /// A customer's feedback on the app.
        case appData
    }

    let id: String
    /// The type, followed by a dot and the subtype if there is a subtype. Unknown types are accepted.
    let name: String
    let signed: Date
    let subject: Subject
    /// The content of the subject's member.
    let content: JSONValue

    private static let maxNameLength = 64
    private static let maxIDLength = 128

    /// Reads a payload.
    ///
    /// - Throws: ``ReceiptRejection/Reason/malformed``.
    init(_ payload: JSONValue) throws(ReceiptRejection) {
        guard let type = Self.stringValue(payload["notificationType"]),
            let id = payload.identifier("notificationUUID", maxLength: Self.maxIDLength),
            let signed = payload.milliseconds("signedDate"), let found = Self.subject(of: payload)
        else { throw ReceiptRejection(.malformed) }
        name = type + (Self.stringValue(payload["subtype"]).map { ".\($0)" } ?? "")
        self.id = id
        self.signed = signed
        (subject, content) = found
    }

    /// Returns the text if it is safe to write to a log.
    private static func stringValue(_ value: JSONValue?) -> String? {
        guard let text = value?.text, !text.isEmpty, text.utf8.count <= maxNameLength,
            text.utf8.allSatisfy({ UInt8(ascii: "A")...UInt8(ascii: "Z") ~= $0 || "_0123456789".utf8.contains($0) })
        else { return nil }
        return text
    }

    private static func subject(of payload: JSONValue) -> (Subject, JSONValue)? {
        let there = Subject.allCases.compactMap { subject in
            payload.has(subject.rawValue) ? payload[subject.rawValue].map { (subject, $0) } : nil
        }
        return there.count == 1 ? there.first : nil
    }

    /// Returns the environment that a payload claims, for any subject.
    static func environment(of payload: JSONValue) -> StoreEnvironment? {
        guard let (subject, content) = subject(of: payload) else { return nil }
        return environment(of: subject, content)
    }

    private static func environment(of subject: Subject, _ content: JSONValue) -> StoreEnvironment? {
        if let name = content["environment"]?.text { return AppleEnvironment.named(name) }
        guard subject == .externalPurchaseToken else { return nil }
        // This subject has no environment of its own. Only the prefix of its identifier shows the sandbox.
        let isSandbox = content["externalPurchaseId"]?.text?.hasPrefix("SANDBOX") ?? false
        return isSandbox ? .sandbox : .production
    }

    var environment: StoreEnvironment? { Self.environment(of: subject, content) }

    var bundle: String? { content.identifier("bundleId", maxLength: StoreTransaction.maxTextLength) }

    /// Apple's number of the app. Only production has it.
    var appID: Int64? { content.integer("appAppleId") }
}
