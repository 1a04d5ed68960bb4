import Gatefold

/// A reader of a drill, with the results that the reader received before the fault.
struct DrillReader: Sendable {
    private let fields: [String: String]
    private let token: String
    private let edition: String?
    private let expectedSubscription: Subscription
    private let isEntitled: Bool

    /// Signs in and makes every call once.
    ///
    /// Returns nil if the reader is rejected.
    init?(_ fields: [String: String], edition: String?, _ authorizationService: AuthorizationService) async throws {
        let context = CallContext(fields: fields)
        guard case .signedIn(let token, _, _) = try await authorizationService.signIn(context) else { return nil }
        self.fields = fields
        self.token = token
        self.edition = edition
        expectedSubscription = try await authorizationService.verify(
            token: token, CallContext(fields: ["token": token])
        ).subscription
        if case .granted = try await authorizationService.editionCredentials(
            token: token, edition: edition, CallContext(fields: ["token": token]))
        {
            isEntitled = true
        } else {
            isEntitled = false
        }
    }

    func signIn(_ authorizationService: AuthorizationService, _ tally: DrillTally) async {
        let began = ContinuousClock.now
        let (result, isWrong) = await Self.signInResult(fields, authorizationService)
        tally.record("sign in", result, isWrong: isWrong, milliseconds: Self.milliseconds(since: began))
    }

    static func signInAgain(
        _ fields: [String: String], _ authorizationService: AuthorizationService, _ tally: DrillTally
    ) async {
        let began = ContinuousClock.now
        // The drill cannot know whether the backend accepts a reader who never signed in before, so no result
        // counts as wrong.
        let (result, _) = await signInResult(fields, authorizationService)
        tally.record("sign in, new", result, milliseconds: milliseconds(since: began))
    }

    func verify(_ authorizationService: AuthorizationService, _ tally: DrillTally) async {
        let began = ContinuousClock.now
        do {
            let reported = try await authorizationService.verify(token: token, CallContext(fields: ["token": token]))
                .subscription
            let isWrong =
                reported.state != expectedSubscription.state || reported.entitlement != expectedSubscription.entitlement
            tally.record(
                "verify", isWrong ? "another subscription" : reported.state.rawValue, isWrong: isWrong,
                milliseconds: Self.milliseconds(since: began))
        } catch {
            tally.record("verify", Self.later, milliseconds: Self.milliseconds(since: began))
        }
    }

    func credentials(_ authorizationService: AuthorizationService, _ tally: DrillTally) async {
        let began = ContinuousClock.now
        let result: String
        var isWrong = false
        do {
            switch try await authorizationService.editionCredentials(
                token: token, edition: edition, CallContext(fields: ["token": token]))
            {
            case .granted:
                result = isEntitled ? "issued" : "issued without entitlement"
                isWrong = !isEntitled && !authorizationService.publication.failsOpen
            case .rejected(let rejection, _):
                if rejection.retryAfter != nil {
                    result = "denied, retry later"
                } else {
                    result = "denied"
                    isWrong = isEntitled
                }
            }
        } catch {
            result = "error"
            isWrong = true
        }
        tally.record("edition credentials", result, isWrong: isWrong, milliseconds: Self.milliseconds(since: began))
    }

    private static let later = "retry later (503)"

    private static func signInResult(
        _ fields: [String: String], _ authorizationService: AuthorizationService
    ) async -> (result: String, isWrong: Bool) {
        do {
            switch try await authorizationService.signIn(CallContext(fields: fields)) {
            case .signedIn: return ("signed in", false)
            case .rejected: return ("rejected", true)
            }
        } catch {
            return (later, false)
        }
    }

    private static func milliseconds(since began: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - began) / Duration.milliseconds(1)
    }
}
