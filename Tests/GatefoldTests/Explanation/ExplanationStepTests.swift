import Foundation
import Gatefold
import TestSupport
import Testing

@Suite("Steps of an explanation") struct ExplanationStepTests {
    private static let reader = Subscriber(backend: "scripted", key: "jane@example.com")

    private func explain(
        _ harness: AuthorizationHarness, _ edition: EditionID = .first, token: String? = nil,
        identifier: String? = nil, device: String? = nil, file: EditionFile? = nil
    ) async throws -> Explanation {
        try await harness.authorizationService.explain(
            ExplanationSubject(Self.reader, token: token, identifier: identifier, device: device), edition,
            file: file.map { file in { _, _ in file } })
    }

    private static let catalogue = Catalogue([
        Edition(id: .first, title: "1", published: .after(-100)),
        Edition(id: .second, title: "2", published: .after(100)),
    ])

    @Test("Names the state, the freshness and the backend, and the remedy of a lapsed subscription")
    func lapsed() async throws {
        let harness = AuthorizationHarness(catalogue: Self.catalogue)
        harness.backend.response(Subscription(state: .inactive, message: "Expired in May."), .cached)
        let explanation = try await explain(harness)
        #expect(explanation.verdict == .rejected(.notEntitled, .subscriptionLapsed))
        let step = try #require(explanation.cause)
        #expect(step.code == .subscription && step.reason == .subscriptionLapsed)
        #expect(step.backend == "scripted" && step.freshness == .cached)
        #expect(step.values.first == ExplanationStep.Value("state", "inactive"))
        // The publisher's text may name the reader.
        #expect(step.values.contains(ExplanationStep.Value("message", "present")))
        #expect(!"\(explanation.steps)".contains("in May"))
        #expect(step.remedy == RefusalReason.subscriptionLapsed.remedy)
    }

    @Test("Without a token, ended sessions are listed; with one, the session is read")
    func sessions() async throws {
        let harness = AuthorizationHarness(policy: .accessBased)
        let fresh = try await explain(harness)
        #expect(fresh.steps.first { $0.code == .sessions }?.outcome == .passes)
        let token = try await harness.token()
        #expect(try await explain(harness, token: token).opens)
        harness.clock.advance(by: 10)
        let reference = harness.authorizationService.pseudonymKey.reference(to: Self.reader)
        harness.revocations.add(harness.revocations.makeRevocation(reference, at: harness.clock.now))
        let without = try await explain(harness)
        let step = try #require(without.steps.first { $0.code == .sessions })
        #expect(step.outcome == .unknown && step.reason == .sessionRevoked && without.verdict == .granted)
        #expect(step.values.contains { $0.name == "ended_before" })
        let with = try await explain(harness, token: token)
        #expect(with.verdict == .rejected(.rejected, .sessionRevoked))
        #expect(with.cause?.code == .sessions && with.cause?.reason == .sessionRevoked)
        let next = try await harness.token()
        #expect(try await explain(harness, token: next).opens)
        harness.clock.advance(by: 31 * 86_400)
        #expect(try await explain(harness, token: next).cause?.reason == .tokenExpired)
        #expect(try await explain(harness, token: "nonsense").cause?.reason == .tokenUnreadable)
    }

    @Test("A full limit of devices rejects a new device and not a known one")
    func devices() async throws {
        let harness = AuthorizationHarness(policy: .accessBased) {
            $0.deviceField = "device"
            $0.deviceLimit = DeviceLimit(maxDevices: 1, onLimit: .reject)
        }
        #expect(try await explain(harness, device: "tablet").opens)
        _ = try await harness.token(device: "phone")
        #expect(try await explain(harness, device: "phone").opens)
        let other = try await explain(harness, device: "tablet")
        #expect(other.opens, "a session on another device still works")
        for explanation in [other, try await explain(harness)] {
            let step = explanation.steps.first { $0.code == .devices }
            #expect(step?.outcome == .warns && step?.reason == .deviceLimit && step?.remedy != nil)
        }
        let token = try await harness.token(device: "phone")
        let session = try await explain(harness, token: token)
        #expect(session.opens && session.steps.first { $0.code == .devices }?.outcome == .notApplicable)
        #expect(
            try await harness.signIn(device: "tablet").rejection?.reason == .tooManyDevices, "the real call agrees")
    }

    @Test("A locked sign-in is a warning, because a session is not concerned; the explanation counts no attempt")
    func throttle() async throws {
        let throttle = LoginThrottle(limits: LoginThrottleLimits(perIdentifier: 2))
        let harness = AuthorizationHarness(policy: .accessBased, loginThrottle: throttle)
        for _ in 0..<20 {
            let open = try await explain(harness, identifier: "Jane@example.com")
            #expect(open.steps.first { $0.code == .throttle }?.outcome == .passes)
        }
        let token = try await harness.token()
        for number in 0..<2 { _ = try await harness.signIn("jane@example.com", "wrong \(number)") }
        let locked = try await explain(harness, identifier: "Jane@example.com")
        let step = try #require(locked.steps.first { $0.code == .throttle })
        #expect(step.outcome == .warns && step.reason == .throttled && step.remedy != nil && locked.opens)
        #expect(step.values.first?.name == "retry_after")
        let session = try await explain(harness, token: token, identifier: "Jane@example.com")
        #expect(session.opens && session.steps.first { $0.code == .throttle }?.outcome == .notApplicable)
        #expect(try await harness.signIn().rejection?.reason != nil, "the real call agrees")
        let other = try await explain(harness, identifier: "other@example.com")
        #expect(other.steps.first { $0.code == .throttle }?.outcome == .passes)
    }

    @Test("A reader of a system that the publication does not query")
    func otherBackend() async throws {
        let harness = AuthorizationHarness(policy: .accessBased)
        let explanation = try await harness.authorizationService.explain(
            ExplanationSubject(Subscriber(backend: "gone", key: "1")), .first)
        #expect(explanation.verdict == .rejected(.rejected, .tokenUnreadable))
        #expect(explanation.cause?.code == .reader)
    }

    @Test("A missing file is a cause of its own")
    func file() async throws {
        let harness = AuthorizationHarness(policy: .accessBased)
        let missing = try await explain(harness, file: .missing(paths: ["a.zip", "a"]))
        #expect(missing.verdict == .granted && missing.cause?.reason == .fileMissing && !missing.opens)
        #expect(try await explain(harness, file: .present(path: "a.zip", bytes: 7)).opens)
        #expect(try await explain(harness, file: .elsewhere).opens)
    }

    @Test("An unavailable system is the cause, with the error")
    func outage() async throws {
        let harness = AuthorizationHarness()
        harness.backend.startOutage()
        let explanation = try await explain(harness)
        #expect(explanation.verdict == .unavailable(.backendUnavailable))
        #expect(explanation.cause?.code == .subscription)
        #expect(explanation.cause?.values.contains { $0.name == "error" } == true)
    }

    @Test("An unknown reader is rejected only if every system was searched")
    func unknownReader() {
        func explanation(_ lookup: ReaderLookup) -> Explanation {
            Explanation.ofUnknownReader(lookup, in: .daily, .first, at: .after(0), isOtherTime: false)
        }
        #expect(explanation(ReaderLookup()).verdict == .rejected(.rejected, .wrongCredentials))
        #expect(explanation(ReaderLookup()).cause?.code == .reader)
        #expect(explanation(ReaderLookup(unsupported: ["web"])).verdict == .undecided)
        let down = explanation(ReaderLookup(failures: ["sql": "refused"]))
        #expect(down.verdict == .unavailable(.backendUnavailable) && down.cause?.reason == .backendUnavailable)
        let twins = explanation(ReaderLookup(ambiguous: ["feed"]))
        #expect(twins.cause?.values.contains(ExplanationStep.Value("ambiguous", "feed")) == true)
    }

    @Test("Plain salts have no expiry", arguments: [SaltFormat.plain, .sealed])
    func expiry(salts: SaltFormat) async throws {
        let harness = AuthorizationHarness(policy: .accessBased) { $0.saltFormat = salts }
        let step = try await explain(harness).steps.first { $0.code == .credentials }
        #expect(step?.values.first?.value.hasPrefix("never") == (salts == .plain))
    }
}
