import ContentGate
import Foundation
import Gatefold
import HTTPTypes
import Primitives
import TestSupport

/// Two publications behind one gate, with helpers that make valid and invalid credentials.
struct GateFixture {
    let clock = ManualClock()
    let daily: Tenant
    let weekly: Tenant
    let gate: Gate

    init(root: String? = nil, acceptsPlainSalts: Bool = true, acceptsDownloadTokens: Bool = false) throws {
        daily = try Tenant(
            "daily", secret: "a daily secret, long enough", clock: clock, acceptsPlainSalts: acceptsPlainSalts)
        weekly = try Tenant(
            "weekly", secret: "a weekly secret, long enough", clock: clock, acceptsPlainSalts: acceptsPlainSalts)
        gate = try Gate(
            [
                daily.publication(
                    open: ["covers/**", "*/cover.jpg"], feed: ["feed.xml"], free: ["ed-free"], root: root,
                    files: ["ed-filed": "2026/May Issue.hpub", "ed-moved": "ed-2.zip"],
                    acceptsDownloadTokens: acceptsDownloadTokens),
                weekly.publication(open: [], feed: [], free: [], root: root.map { $0 + "/weekly-root" }),
            ], clock: clock.wall)
    }

    func evaluate(
        _ target: String, _ authorization: [String] = [], method: HTTPRequest.Method = .get, isResume: Bool = false
    ) -> GateDecision {
        gate.evaluate(
            GateRequest(method: method, target: target, authorization: authorization, isResume: isResume))
    }

    /// Returns the reason of the denial, or nil if the request is allowed.
    func denial(
        _ target: String, _ authorization: [String] = [], method: HTTPRequest.Method = .get, isResume: Bool = false
    ) -> GateDenial.Reason? {
        guard case .denied(let denial) = evaluate(target, authorization, method: method, isResume: isResume) else {
            return nil
        }
        return denial.reason
    }

    func allowed(_ target: String, _ authorization: [String] = [], isResume: Bool = false) -> AllowedContent? {
        guard case .allowed(let content) = evaluate(target, authorization, isResume: isResume) else { return nil }
        return content
    }
}

/// A publication with its secret.
struct Tenant {
    let id: PublicationID
    let secrets: SecretRing
    let revocations: RevocationList
    let clock: ManualClock
    let subject: SaltSubject
    let session: Session
    let acceptsPlainSalts: Bool
    private let pseudonymKey = PseudonymKey(Secret("the key of the pseudonyms"))

    init(_ name: String, secret: String, clock: ManualClock, acceptsPlainSalts: Bool) throws {
        id = PublicationID(name)!
        secrets = SecretRing(current: Secret(secret))
        revocations = RevocationList(publication: id)
        self.clock = clock
        self.acceptsPlainSalts = acceptsPlainSalts
        let subscriber = Subscriber(backend: "test", key: "reader a", upstreamSession: nil)
        let session = Session(
            publication: id, subscriber: subscriber, device: nil, reference: .random(from: .seeded(3)),
            issuedAt: clock.now.addingTimeInterval(-100), expiresAt: clock.now.addingTimeInterval(86_400))
        self.session = session
        subject = SaltSubject(
            subscriber: pseudonymKey.reference(to: subscriber), session: session.reference, issuedAt: session.issuedAt)
    }

    func publication(
        open: [String], feed: [String], free: [String], root: String?, files: [String: String] = [:],
        acceptsDownloadTokens: Bool = false
    ) throws -> GatePublication {
        GatePublication(
            id: id,
            layout: try ContentLayout(
                prefix: "/content/\(id)/", openPatterns: open, feedPatterns: feed, root: root),
            verifier: EditionCredentialsVerifier(
                publication: id, secrets: secrets, acceptsPlainSalts: acceptsPlainSalts, resumeWindow: 3_600),
            feedVerifier: FeedCredentialsVerifier(secrets: secrets, tokens: codec, pseudonymKey: pseudonymKey),
            revocations: revocations,
            catalogue: CurrentCatalogue(
                Catalogue(
                    free.compactMap { EditionID($0) }.map {
                        Edition(id: $0, title: $0.rawValue, published: .distantPast, isFree: true)
                    }
                        + files.map {
                            Edition(id: EditionID($0.key)!, title: $0.key, published: .distantPast, file: $0.value)
                        })), acceptsDownloadTokens: acceptsDownloadTokens)
    }

    /// Returns the header with valid credentials for an edition. Sealed credentials are valid for ten minutes.
    func basic(_ edition: String, _ form: SaltFormat = .sealed) throws -> String {
        let pair = try pair(edition, form)
        return Self.basic(pair.userid, pair.password)
    }

    func pair(_ edition: String, _ form: SaltFormat = .sealed) throws -> EditionCredentials {
        try EditionCredentialsIssuer(publication: id, secrets: secrets, form: form, random: .seeded(7)).issue(
            EditionID(edition)!, for: subject, until: clock.now.addingTimeInterval(600))
    }

    /// Returns the target with a ticket for an edition that is valid for ten minutes.
    func target(_ path: String, downloadTokenFor edition: String) throws -> String {
        DownloadToken(try pair(edition)).added(to: "/content/\(id)/\(path)")
    }

    func token() throws -> String { try codec.seal(session) }

    func feedBasic() throws -> String {
        let token = try token()
        return Self.basic(token, EditionPassword.makeForFeed(token: token, secret: secrets.current))
    }

    static func basic(_ userid: String, _ password: String) -> String {
        "Basic " + Data("\(userid):\(password)".utf8).base64EncodedString()
    }

    private var codec: SealedTokenCodec {
        SealedTokenCodec(publication: id, secrets: secrets, random: .seeded(5))
    }
}
