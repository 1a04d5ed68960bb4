import Foundation
import Gatefold
import Primitives

/// The publication under attack by the targets. It is identical in each run, so that its issued values can be seeds.
enum FuzzedTenant {
    static let id = PublicationID("daily")!
    static let secrets = SecretRing(
        current: Secret("a secret of fuzzing, long enough"), retired: [Secret("an older secret, still long enough")])
    static let now = Date(timeIntervalSince1970: 1_793_534_400)
    static let edition = EditionID("ed-1")!
    static let other = EditionID("ed-2")!
    static let revocations = RevocationList(publication: id)
    static let pseudonymKey = PseudonymKey(Secret("the key of the references"))

    /// A deterministic source: values sealed here are not secret.
    static let random = RandomSource { count in (0..<count).map { UInt8(truncatingIfNeeded: $0 &* 37 &+ 11) } }

    static let subscriber = Subscriber(backend: "house", key: "ada", upstreamSession: nil)

    static let session = Session(
        publication: id, subscriber: subscriber, device: nil, reference: SessionPseudonym("01020304")!,
        issuedAt: now.addingTimeInterval(-100), expiresAt: now.addingTimeInterval(86_400))

    static let subject = SaltSubject(
        subscriber: pseudonymKey.reference(to: subscriber), session: session.reference, issuedAt: session.issuedAt)

    static let codec = SealedTokenCodec(publication: id, secrets: secrets, random: random)
    static let token = ready { try codec.seal(session) }

    static func pair(_ edition: EditionID, _ form: SaltFormat) -> EditionCredentials {
        ready {
            try EditionCredentialsIssuer(publication: id, secrets: secrets, form: form, random: random)
                .issue(edition, for: subject, until: now.addingTimeInterval(600))
        }
    }

    static let verifier = EditionCredentialsVerifier(
        publication: id, secrets: secrets, acceptsPlainSalts: true, resumeWindow: 3600)
    static let feedVerifier = FeedCredentialsVerifier(secrets: secrets, tokens: codec, pseudonymKey: pseudonymKey)

    /// Returns `Basic` credentials in the format of a header.
    static func basic(_ pair: EditionCredentials) -> String {
        "Basic " + Data("\(pair.userid):\(pair.password)".utf8).base64EncodedString()
    }
}
