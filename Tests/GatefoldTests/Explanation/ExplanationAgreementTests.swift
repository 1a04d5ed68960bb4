import Foundation
import Gatefold
import Synchronization
import TestSupport
import Testing

/// Compares explanations with the calls that they explain, in random worlds.
@Suite("Agreement of explanations with the calls") struct ExplanationAgreementTests {
    private static let deciding: Set<ExplanationStep.Code> = [
        .reader, .subscription, .purchases, .policy, .catalogue, .verdict, .sessions, .credentials,
    ]

    /// The number of random publications.
    private static let selection = Result {
        try SeedSelection(
            ProcessInfo.processInfo.environment, count: "GATEFOLD_EXPLANATIONS", first: "GATEFOLD_EXPLANATION",
            default: 400)
    }

    private static func seeds() throws -> Range<UInt64> {
        let selection = try selection.get()
        return selection.first..<selection.first + UInt64(selection.count)
    }

    /// Returns the result of a real request for edition credentials in the words of an explanation.
    private static func verdict(
        _ world: ExplanationWorld, _ token: String, _ edition: EditionID
    ) async throws -> Explanation.Verdict {
        let (events, refusals) = (world.log.events.count, world.log.refusals.count)
        let result: CredentialsResult
        do {
            result = try await world.service.editionCredentials(token: token, edition: edition.rawValue, CallContext())
        } catch is ScriptedResponse {
            return .unavailable(.testResponse)
        }
        switch result {
        case .granted:
            let isInOutage = world.log.events.dropFirst(events).contains {
                if case .failedOpen = $0 { true } else { false }
            }
            return isInOutage ? .grantedInOutage : .granted
        case .rejected(let rejection, _):
            let reason = try #require(world.log.refusals.dropFirst(refusals).last?.reason)
            return rejection.retryAfter == nil ? .rejected(rejection.reason, reason) : .unavailable(reason)
        }
    }

    @Test("The verdict is that of the real call, and a failing step has its reason")
    func verdicts() async throws {
        var tally: [String: Int] = [:]
        for seed in try Self.seeds() {
            let world = ExplanationWorld(seed: seed)
            try await world.recordDenials(seed: seed)
            let token = try await world.token()
            let isValid = try await world.changeSession(seed: seed, token)
            for edition in ExplanationWorld.editions {
                let explanation = try await world.service.explain(
                    ExplanationSubject(ExplanationWorld.reader, token: token), edition)
                let again = try await world.service.explain(ExplanationSubject(ExplanationWorld.reader), edition)
                if isValid {
                    try #require(again.verdict == explanation.verdict, "\(world) \(edition): without a token")
                }
                let real = try await Self.verdict(world, token, edition)
                try #require(explanation.verdict == real, "\(world) \(edition): \(explanation)")
                try #require(explanation.steps.map(\.code) == ExplanationStep.Code.allCases, "\(world)")
                let failing = explanation.steps.filter { $0.outcome == .fails && Self.deciding.contains($0.code) }
                if real.isGranted {
                    try #require(failing.isEmpty, "\(world) \(edition): \(failing)")
                    try #require(explanation.opens)
                } else {
                    try #require(explanation.cause?.reason == real.reason, "\(world) \(edition): \(explanation)")
                    try #require(explanation.cause?.remedy == real.reason?.remedy)
                }
                tally["\(real)", default: 0] += 1
            }
        }
        // A generator that never reaches an outcome proves nothing about it. A few publications do not reach all.
        guard try Self.seeds().count >= 400 else { return }
        for outcome in [
            "unavailable(Gatefold.RefusalReason.testResponse)",
            "rejected(Optional(Gatefold.CredentialsRejection.Reason.rejected), Gatefold.RefusalReason.sessionRevoked)",
            "rejected(Optional(Gatefold.CredentialsRejection.Reason.expired), Gatefold.RefusalReason.tokenExpired)",
            "granted", "grantedInOutage", "unavailable(Gatefold.RefusalReason.backendUnavailable)",
            "unavailable(Gatefold.RefusalReason.catalogueUnavailable)",
            "rejected(Optional(Gatefold.CredentialsRejection.Reason.notEntitled), Gatefold.RefusalReason.notIncluded)",
            "rejected(Optional(Gatefold.CredentialsRejection.Reason.notEntitled), Gatefold.RefusalReason.unknownEdition)",
            "rejected(Optional(Gatefold.CredentialsRejection.Reason.notEntitled), Gatefold.RefusalReason.notYetPublished)",
            "rejected(Optional(Gatefold.CredentialsRejection.Reason.notEntitled), Gatefold.RefusalReason.editionDenied)",
            "rejected(Optional(Gatefold.CredentialsRejection.Reason.notEntitled), Gatefold.RefusalReason.readerSuspended)",
        ] {
            #expect(tally[outcome, default: 0] >= 5, "\(outcome) in \(tally)")
        }
    }

    @Test("The subscription is that of the real verification")
    func subscriptions() async throws {
        for seed in try Self.seeds() {
            let world = ExplanationWorld(seed: seed)
            let token = try await world.token()
            let explanation = try await world.service.explain(
                ExplanationSubject(ExplanationWorld.reader), ExplanationWorld.editions[0])
            let real = try? await world.service.verify(token: token, CallContext()).subscription
            try #require(explanation.subscription?.state == real?.state, "\(world)")
            try #require(explanation.subscription?.entitlement == real?.entitlement, "\(world)")
            try #require(explanation.subscription?.periods == real?.periods, "\(world)")
        }
    }

    @Test("An explanation reports, counts and records nothing")
    func dryRun() async throws {
        for seed in try Self.seeds().prefix(200) {
            let (explained, other) = (ExplanationWorld(seed: seed), ExplanationWorld(seed: seed))
            for edition in ExplanationWorld.editions {
                _ = try await explained.service.explain(
                    ExplanationSubject(ExplanationWorld.reader, identifier: "ann@example.com", device: "phone"), edition
                )
            }
            #expect(explained.log.events == [] && explained.log.refusals == [])
            let reference = explained.service.pseudonymKey.reference(to: ExplanationWorld.reader)
            #expect(await explained.state.devices(of: reference, in: .daily) == [])
            // The system goes away. What was explained must not count as known.
            for world in [explained, other] {
                world.system.script.withLock {
                    $0.hasSubscription = false
                    $0.hasVerdicts = false
                }
            }
            let tokens = try await (explained.token(), other.token())
            for edition in ExplanationWorld.editions {
                let results = try await (
                    Self.verdict(explained, tokens.0, edition), Self.verdict(other, tokens.1, edition)
                )
                try #require(results.0 == results.1, "\(explained) \(edition)")
            }
        }
    }
}
