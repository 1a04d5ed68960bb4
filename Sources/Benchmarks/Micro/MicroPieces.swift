import Backends
import ContentGate
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import JSON
import Protections

/// The pieces that every request is made of: its token, its answer from memory, the document, the password and the gate.
enum MicroPieces {
    /// - Parameter folder: for the state.
    static func all(_ folder: URL) async throws -> [Microbenchmark] {
        try await readers(folder) + editions() + documents()
    }

    private static func readers(_ folder: URL) async throws -> [Microbenchmark] {
        let codec = try House.codec
        let remembering = RememberingTokenCodec(codec)
        let token = try codec.seal(try House.session(of: 1))
        let strange = String(token.reversed())
        let backend = ProtectedBackend(
            FragileBackend(latency: .zero, breaksAbove: 1), decidesEditions: false, settings: ProtectionSettings(),
            services: try House.services())
        let proxy = try House.proxy(backend, tokens: remembering, folder)
        _ = try await proxy.verify(token: token, Inquiry())
        return [
            Microbenchmark(name: "token, opened") { codec.open(token) != nil },
            Microbenchmark(name: "token, remembered") { remembering.open(token) != nil },
            Microbenchmark(name: "token, of nobody") { codec.open(strange) == nil },
            Microbenchmark(name: "verification from the cache") {
                proxy.decidedVerification(token: token, Inquiry())?.answer.subscription.state == .active
            },
        ]
    }

    private static func editions() throws -> [Microbenchmark] {
        let edition = try House.id(EditionID("com.example.2026-11"))
        let (publication, secrets) = (try House.publication, House.editionSecrets)
        let session = try House.session(of: 1)
        let holder = SaltHolder(
            subscriber: House.references.reference(to: session.subscriber), session: session.reference,
            issuedAt: session.issuedAt)
        let issuer = EditionCredentialsIssuer(
            publication: publication, secrets: secrets, form: .sealed, random: .system)
        func issued() throws -> EditionCredentials {
            try issuer.issue(edition, for: holder, until: session.expiresAt)
        }
        let pair = try issued()
        let strangers = Turns(of: try (1...25_000).map { _ in try issued() })
        let wrong = EditionCredentials(userid: pair.userid, password: String(pair.password.reversed()))
        let verifier = EditionCredentialsVerifier(
            publication: publication, secrets: secrets, acceptsPlainSalts: false, resumeWindow: 3_600)
        let revocations = RevocationList(publication: publication)
        let gate = try Gate(
            [
                GatePublication(
                    id: publication, layout: try ContentLayout(prefix: "/content/daily/", openPatterns: ["covers/**"]),
                    verifier: verifier, revocations: revocations)
            ], clock: .system)
        func asked(_ path: String, _ credentials: EditionCredentials?) -> GateRequest {
            let basic = credentials.map { "Basic " + Data("\($0.userid):\($0.password)".utf8).base64EncodedString() }
            return GateRequest(
                method: .get, target: "/content/daily/" + path, authorization: basic.map { [$0] } ?? [],
                isResume: false)
        }
        @Sendable func isAccepted(_ pair: EditionCredentials) -> Bool {
            let verdict = verifier.verify(pair, for: edition, at: session.issuedAt, revocations: revocations)
            return if case .accepted = verdict { true } else { false }
        }
        let (good, bad) = (asked("com.example.2026-11.zip", pair), asked("com.example.2026-11.zip", wrong))
        let open = asked("covers/2026-11.jpg", nil)
        return [
            Microbenchmark(name: "edition password, issued") {
                (try? issuer.issue(edition, for: holder, until: session.expiresAt)) != nil
            },
            // More of them than are remembered.
            Microbenchmark(name: "edition password, checked") { isAccepted(strangers.next) },
            Microbenchmark(name: "edition password, remembered") { isAccepted(pair) },
            Microbenchmark(name: "gate, right password, remembered") { isAllowed(gate.decide(good)) },
            Microbenchmark(name: "gate, wrong password") { !isAllowed(gate.decide(bad)) },
            Microbenchmark(name: "gate, open path") { isAllowed(gate.decide(open)) },
        ]
    }

    private static func isAllowed(_ decision: GateDecision) -> Bool {
        if case .allowed = decision { true } else { false }
    }

    private static func documents() -> [Microbenchmark] {
        let issues = (1...12).map { "com.example.2026-\($0)" }
        let held = Entitlement.editions(Set(issues.compactMap { EditionID($0) }))
        let json = Array(
            #"{"state": "active", "editions": [\#(issues.map { "\"\($0)\"" }.joined(separator: ", "))], "until": 1790000000}"#
                .utf8)
        let answer = VerificationAnswer(
            subscription: Subscription(state: .active, message: "Good & valid", entitlement: held), comments: [])
        return [
            Microbenchmark(name: "XML answer of 12 editions") {
                SubscriptionDocument.bytes(answer).count > 500
            },
            Microbenchmark(name: "JSON answer of 12 editions, read") { (try? JSONParser.parse(json)) != nil },
        ]
    }
}
