/// The results of the systems for one explanation, or their failures. Each system is queried when its result is first
/// needed, and only once, so that the decision makes its queries in the order of a reader's call.
final class ExplanationInputs {
    let trace = QueryTrace()
    private let service: AuthorizationService
    private let edition: EditionID
    private let subscriber: Subscriber
    private let context: CallContext
    /// The subscription as the subscriber system reports it; nil if it was not needed.
    private(set) var knownSubscription: Result<Fetched<Subscription>, any Error>?
    private var knownPurchases: Result<Subscription?, any Error>?
    /// The subscriber system's own verdict; nil if it was not needed.
    private(set) var knownVerdict: Result<Fetched<EditionVerdict?>, any Error>?

    init(_ service: AuthorizationService, _ edition: EditionID, _ subscriber: Subscriber, _ context: CallContext) {
        self.service = service
        self.edition = edition
        self.subscriber = subscriber
        self.context = context
    }

    func subscription() async throws -> Result<Fetched<Subscription>, any Error> {
        if let knownSubscription { return knownSubscription }
        let (service, subscriber, context) = (service, subscriber, context)
        let result = try await QueryTrace.$current.withValue(trace) {
            try await Self.result {
                try await service.queryBackend {
                    try await service.backend.subscription(of: subscriber, context: context)
                }
            }
        }
        knownSubscription = result
        return result
    }

    func purchases() async throws -> Result<Subscription?, any Error> {
        if let knownPurchases { return knownPurchases }
        let (service, subscriber) = (service, subscriber)
        let result = try await Self.result {
            try await service.purchased(by: service.pseudonymKey.owner(subscriber))
        }
        knownPurchases = result
        return result
    }

    func verdict() async throws -> Result<Fetched<EditionVerdict?>, any Error> {
        if let knownVerdict { return knownVerdict }
        let (service, edition, subscriber, context) = (service, edition, subscriber, context)
        let result = try await Self.result {
            try await service.ownVerdict(on: edition, for: subscriber, context)
        }
        knownVerdict = result
        return result
    }

    /// Returns the result of a query. A failure keeps its error, because a call treats the response that a test backend
    /// dictates differently from an outage.
    ///
    /// - Throws: Another error, such as a cancellation.
    static func result<Value: Sendable>(
        _ query: () async throws -> Value
    ) async throws -> Result<Value, any Error> {
        do {
            return .success(try await query())
        } catch let error where error is Unavailable || error is ScriptedResponse {
            return .failure(error)
        }
    }
}
