import Gatefold

/// A reader of a drill, with what they were told before the bad day.
struct DrillReader: Sendable {
    private let fields: [String: String]
    private let token: String
    private let edition: String?
    private let due: Subscription
    private let isEntitled: Bool

    /// Signs in and asks everything once.
    ///
    /// Returns nil when the reader is not recognised.
    init?(_ fields: [String: String], edition: String?, _ proxy: PublicationProxy) async throws {
        let inquiry = Inquiry(fields: fields)
        guard case .signedIn(let token, _, _) = try await proxy.signIn(inquiry) else { return nil }
        self.fields = fields
        self.token = token
        self.edition = edition
        due = try await proxy.verify(token: token, Inquiry(fields: ["token": token])).subscription
        if case .granted = try await proxy.editionCredentials(
            token: token, edition: edition, Inquiry(fields: ["token": token]))
        {
            isEntitled = true
        } else {
            isEntitled = false
        }
    }

    func signIn(_ proxy: PublicationProxy, _ tally: DrillTally) async {
        let began = ContinuousClock.now
        let (answer, isWrong) = await Self.signInAnswer(fields, proxy)
        tally.note("sign in", answer, isWrong: isWrong, milliseconds: Self.milliseconds(since: began))
    }

    static func signInAnew(_ fields: [String: String], _ proxy: PublicationProxy, _ tally: DrillTally) async {
        let began = ContinuousClock.now
        // Whether a reader who was never here is recognised, nobody knows.
        let (answer, _) = await signInAnswer(fields, proxy)
        tally.note("sign in, new", answer, milliseconds: milliseconds(since: began))
    }

    func verify(_ proxy: PublicationProxy, _ tally: DrillTally) async {
        let began = ContinuousClock.now
        do {
            let told = try await proxy.verify(token: token, Inquiry(fields: ["token": token])).subscription
            let isWrong = told.state != due.state || told.entitlement != due.entitlement
            tally.note(
                "verify", isWrong ? "another subscription" : told.state.rawValue, isWrong: isWrong,
                milliseconds: Self.milliseconds(since: began))
        } catch {
            tally.note("verify", Self.later, milliseconds: Self.milliseconds(since: began))
        }
    }

    func credentials(_ proxy: PublicationProxy, _ tally: DrillTally) async {
        let began = ContinuousClock.now
        let answer: String
        var isWrong = false
        do {
            switch try await proxy.editionCredentials(token: token, edition: edition, Inquiry(fields: ["token": token]))
            {
            case .granted:
                answer = isEntitled ? "given" : "given without entitlement"
                isWrong = !isEntitled && !proxy.publication.failsOpen
            case .refused(let refusal, _):
                if refusal.retryAfter != nil {
                    answer = "refused, come back later"
                } else {
                    answer = "refused"
                    isWrong = isEntitled
                }
            }
        } catch {
            answer = "error"
            isWrong = true
        }
        tally.note("edition credentials", answer, isWrong: isWrong, milliseconds: Self.milliseconds(since: began))
    }

    private static let later = "come back later (503)"

    private static func signInAnswer(
        _ fields: [String: String], _ proxy: PublicationProxy
    ) async -> (answer: String, isWrong: Bool) {
        do {
            switch try await proxy.signIn(Inquiry(fields: fields)) {
            case .signedIn: return ("signed in", false)
            case .refused: return ("refused", true)
            }
        } catch {
            return (later, false)
        }
    }

    private static func milliseconds(since began: ContinuousClock.Instant) -> Double {
        (ContinuousClock.now - began) / Duration.milliseconds(1)
    }
}
