import ContentGate
import Foundation
import Gatefold
import Testing

/// The gate that a front asks, and credentials that it accepts.
///
/// Its content stands below `/content/daily/`; `covers` are open, and so is the free edition.
struct GateUnderTest: Sendable {
    static let publication = "daily"
    static let freeEdition = "free-1"
    static let secretText = "5b1d0c9f7e3a48d2 of the deploy tests"
    static let secret = Secret(secretText)

    /// Of 127.0.0.1, where `/auth-request/…` answers.
    let port: Int

    /// The `Authorization` field of a reader who may download the edition.
    static func authorization(for edition: String) throws -> (String, String) {
        let edition = try #require(EditionID(edition))
        let salt = "0123456789abcdef"
        return basic("\(salt):\(EditionPassword.make(edition: edition, salt: salt, secret: secret))")
    }

    /// The `Authorization` field of a reader whose credentials ended ten minutes ago, within the resume window.
    static func endedAuthorization(for edition: String) throws -> (String, String) {
        let edition = try #require(EditionID(edition))
        let publication = try #require(PublicationID(publication))
        let subscriber = ReferenceKey(Secret("any")).reference(
            to: Subscriber(backend: "house", key: "reader a", upstreamSession: nil))
        let holder = SaltHolder(
            subscriber: subscriber, session: .random(from: .system), issuedAt: Date().addingTimeInterval(-3_600))
        let pair = try EditionCredentialsIssuer(
            publication: publication, secrets: SecretRing(current: secret), form: .sealed, random: .system
        ).issue(edition, for: holder, until: Date().addingTimeInterval(-600))
        return basic("\(pair.userid):\(pair.password)")
    }

    /// Good credentials as a ticket.
    static func ticket(for edition: String) throws -> Ticket {
        let edition = try #require(EditionID(edition))
        let salt = "0123456789abcdef"
        return Ticket(
            EditionCredentials(
                userid: salt, password: EditionPassword.make(edition: edition, salt: salt, secret: secret)))
    }

    static func basic(_ pair: String) -> (String, String) {
        ("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())")
    }
}
