import Gatefold

/// The queries of one backend that are in progress, by the type of their results.
struct InFlightQueries: Sendable {
    let authentications = Coalescing<AuthenticationResult>()
    let subscriptions = Coalescing<Subscription>()
    let verdicts = Coalescing<EditionVerdict?>()
    let completions = Coalescing<Void>()

    /// The number of callers that shared the result of another caller's query.
    var shared: Int { authentications.shared + subscriptions.shared + verdicts.shared + completions.shared }

    /// Makes later callers start new queries.
    func forget() {
        authentications.forgetInFlight()
        subscriptions.forgetInFlight()
        verdicts.forgetInFlight()
        completions.forgetInFlight()
    }
}
