import Foundation
import Gatefold
import JSON

/// Apple's responseBodyV2DecodedPayload, as far as it matters here (PROTOCOLS 6.3 "Notifications V2").
struct NotificationPayload: Sendable, Equatable {
    /// What it is about besides its type: exactly one of these is there.
    enum Subject: String, CaseIterable, Sendable {
        /// One transaction, or a test.
        case data
        /// How the extension of many renewals went.
        case summary
        /// A purchase outside the store.
        case externalPurchaseToken
        /// What a customer says of the app.
        case appData
    }

    let id: String
    /// The type, with the subtype after a dot where there is one. Types unknown are as good as known ones.
    let name: String
    let signed: Date
    let subject: Subject
    /// What the subject's own member holds.
    let content: JSONValue

    private static let longestName = 64
    private static let longestID = 128

    /// - Throws: ``ReceiptRefusal/Reason/malformed``.
    init(_ payload: JSONValue) throws(ReceiptRefusal) {
        guard let type = Self.word(payload["notificationType"]),
            let id = payload.identifier("notificationUUID", longest: Self.longestID),
            let signed = payload.milliseconds("signedDate"), let found = Self.subject(of: payload)
        else { throw ReceiptRefusal(.malformed) }
        name = type + (Self.word(payload["subtype"]).map { ".\($0)" } ?? "")
        self.id = id
        self.signed = signed
        (subject, content) = found
    }

    /// A word as it may stand in a log.
    private static func word(_ value: JSONValue?) -> String? {
        guard let text = value?.text, !text.isEmpty, text.utf8.count <= longestName,
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

    /// The environment that a payload claims, whatever it is about.
    static func environment(of payload: JSONValue) -> StoreEnvironment? {
        guard let (subject, content) = subject(of: payload) else { return nil }
        return environment(of: subject, content)
    }

    private static func environment(of subject: Subject, _ content: JSONValue) -> StoreEnvironment? {
        if let name = content["environment"]?.text { return AppleEnvironment.named(name) }
        guard subject == .externalPurchaseToken else { return nil }
        // It has no environment of its own, but for the identifier's beginning.
        let isSandbox = content["externalPurchaseId"]?.text?.hasPrefix("SANDBOX") ?? false
        return isSandbox ? .sandbox : .production
    }

    var environment: StoreEnvironment? { Self.environment(of: subject, content) }

    var bundle: String? { content.identifier("bundleId", longest: StoreTransaction.longestText) }

    /// Apple's number of the app; only production has one.
    var appID: Int64? { content.wholeNumber("appAppleId") }
}
