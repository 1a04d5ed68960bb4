import Backends
import ContentGate
import Foundation
import FrontDoors
import Gatefold
import HTTPTypes
import JSON
import Primitives
import Resilience
import State
import Synchronization

/// The parts of every request: its token, the cached result, the document, the password and the gate.
enum MicrobenchmarkFixture {
    /// - Parameter folder: The folder for the state.
    static func all(_ folder: URL) async throws -> [Microbenchmark] {
        try await readers(folder) + editions() + documents()
    }

    private static func readers(_ folder: URL) async throws -> [Microbenchmark] {
        let codec = try BenchmarkPublication.codec
        let caching = CachingTokenCodec(codec)
        let token = try codec.seal(try BenchmarkPublication.session(of: 1))
        let strange = String(token.reversed())
        let backend = ProtectedBackend(
            FragileBackend(latency: .zero, failureThreshold: 1), decidesEditions: false, settings: ProtectionSettings(),
            services: try BenchmarkPublication.services())
        let authorizationService = try BenchmarkPublication.authorizationService(backend, tokens: caching, folder)
        _ = try await authorizationService.verify(token: token, CallContext())
        let recorder = TimelineRecorder(
            store: try SQLStateStore(path: folder.appending(path: "timeline.sqlite").path),
            pseudonymKey: BenchmarkPublication.pseudonymKey, limits: TimelineRecorder.Limits(capacity: 5_000_000))
        let recording = authorizationService.recording(in: recorder)
        return [
            Microbenchmark(name: "token, opened") { codec.open(token) != nil },
            Microbenchmark(name: "token, cached") { caching.open(token) != nil },
            Microbenchmark(name: "token, invalid") { codec.open(strange) == nil },
            Microbenchmark(name: "verification from the cache") {
                onThisThread {
                    try await authorizationService.verify(token: token, CallContext()).subscription.state == .active
                }
            },
            credentials("credentials from the cache", authorizationService, token),
            credentials("credentials from the cache, recorded", recording, token),
        ]
    }

    private static func credentials(
        _ name: String, _ authorizationService: AuthorizationService, _ token: String
    ) -> Microbenchmark {
        Microbenchmark(name: name) {
            onThisThread {
                let result = try await authorizationService.editionCredentials(
                    token: token, edition: "com.example.2026-11", CallContext())
                return if case .granted = result { true } else { false }
            }
        }
    }

    /// Runs a decision as a connection does, on the calling thread.
    ///
    /// - Returns: The result, or false if the decision suspended.
    private static func onThisThread(_ decision: @escaping @Sendable () async throws -> Bool) -> Bool {
        let isRight = AtomicFlag()
        Task.immediate { if try await decision() { isRight.set() } }
        return isRight.isSet
    }

    private final class AtomicFlag: Sendable {
        private let value = Atomic(false)
        var isSet: Bool { value.load(ordering: .relaxed) }
        func set() { value.store(true, ordering: .relaxed) }
    }

    private static func editions() throws -> [Microbenchmark] {
        let edition = try BenchmarkPublication.id(EditionID("com.example.2026-11"))
        let (publication, secrets) = (try BenchmarkPublication.publication, BenchmarkPublication.editionSecrets)
        let session = try BenchmarkPublication.session(of: 1)
        let subject = SaltSubject(
            subscriber: BenchmarkPublication.pseudonymKey.reference(to: session.subscriber), session: session.reference,
            issuedAt: session.issuedAt)
        let issuer = EditionCredentialsIssuer(
            publication: publication, secrets: secrets, form: .sealed, random: .system)
        func issued() throws -> EditionCredentials {
            try issuer.issue(edition, for: subject, until: session.expiresAt)
        }
        let pair = try issued()
        let unknownTokens = RoundRobin(of: try (1...25_000).map { _ in try issued() })
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
        func gateRequest(_ path: String, _ credentials: EditionCredentials?) -> GateRequest {
            let basic = credentials.map { "Basic " + Data("\($0.userid):\($0.password)".utf8).base64EncodedString() }
            return GateRequest(
                method: .get, target: "/content/daily/" + path, authorization: basic.map { [$0] } ?? [],
                isResume: false)
        }
        @Sendable func isAccepted(_ pair: EditionCredentials) -> Bool {
            let verdict = verifier.verify(pair, for: edition, at: session.issuedAt, revocations: revocations)
            return if case .accepted = verdict { true } else { false }
        }
        let (good, bad) = (gateRequest("com.example.2026-11.zip", pair), gateRequest("com.example.2026-11.zip", wrong))
        let open = gateRequest("covers/2026-11.jpg", nil)
        return [
            Microbenchmark(name: "edition password, issued") {
                (try? issuer.issue(edition, for: subject, until: session.expiresAt)) != nil
            },
            // The pairs are more than the cache holds.
            Microbenchmark(name: "edition password, checked") { isAccepted(unknownTokens.next) },
            Microbenchmark(name: "edition password, cached") { isAccepted(pair) },
            Microbenchmark(name: "gate, right password, cached") { isAllowed(gate.evaluate(good)) },
            Microbenchmark(name: "gate, wrong password") { !isAllowed(gate.evaluate(bad)) },
            Microbenchmark(name: "gate, open path") { isAllowed(gate.evaluate(open)) },
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
        let response = VerificationResult(
            subscription: Subscription(state: .active, message: "Good & valid", entitlement: held), notes: [])
        return [
            Microbenchmark(name: "XML response with 12 editions") {
                SubscriptionDocument.bytes(response).count > 500
            },
            Microbenchmark(name: "JSON response with 12 editions, parsed") { (try? JSONParser.parse(json)) != nil },
        ]
    }
}
