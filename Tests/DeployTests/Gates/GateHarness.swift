import ContentGate
import Foundation
import Gatefold
import Primitives
import Testing

/// The gate that a front queries, and credentials that it accepts.
///
/// Its content is below `/content/daily/`. `covers` and the free edition are open.
struct GateHarness: Sendable {
    static let publication = "daily"
    static let freeEdition = "free-1"
    static let secretText = "5b1d0c9f7e3a48d2 of the deploy tests"
    static let secret = Secret(secretText)

    /// The port of 127.0.0.1 that serves `/auth-request/…`.
    let port: Int

    /// Returns the `Authorization` field of a reader who may download the edition.
    static func authorization(for edition: String) throws -> (String, String) {
        let edition = try #require(EditionID(edition))
        let salt = "0123456789abcdef"
        return basic("\(salt):\(EditionPassword.make(edition: edition, salt: salt, secret: secret))")
    }

    /// Returns the `Authorization` field of a reader whose credentials expired ten minutes ago, within the resume
    /// window.
    static func endedAuthorization(for edition: String) throws -> (String, String) {
        let edition = try #require(EditionID(edition))
        let publication = try #require(PublicationID(publication))
        let subscriber = PseudonymKey(Secret("any")).reference(
            to: Subscriber(backend: "house", key: "reader a", upstreamSession: nil))
        let subject = SaltSubject(
            subscriber: subscriber, session: .random(from: .system), issuedAt: Date().addingTimeInterval(-3_600))
        let pair = try EditionCredentialsIssuer(
            publication: publication, secrets: SecretRing(current: secret), form: .sealed, random: .system
        ).issue(edition, for: subject, until: Date().addingTimeInterval(-600))
        return basic("\(pair.userid):\(pair.password)")
    }

    /// Returns valid credentials as a ticket.
    static func downloadToken(for edition: String) throws -> DownloadToken {
        let edition = try #require(EditionID(edition))
        let salt = "0123456789abcdef"
        return DownloadToken(
            EditionCredentials(
                userid: salt, password: EditionPassword.make(edition: edition, salt: salt, secret: secret)))
    }

    static func basic(_ pair: String) -> (String, String) {
        ("Authorization", "Basic \(Data(pair.utf8).base64EncodedString())")
    }
}
