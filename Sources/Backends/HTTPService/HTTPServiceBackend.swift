import Foundation
import Gatefold
import OutgoingRequests

/// Recognises readers by asking a service over HTTP.
struct HTTPServiceBackend: SubscriberBackend {
    let name: String
    private let service: HTTPService
    private let http: OutgoingHTTP
    private let authorization: any Authorization
    private let own: [ServiceCall.Purpose: any Authorization]
    private let clock: WallClock

    init(name: String, service: HTTPService, http: OutgoingHTTP, services: BackendServices) {
        self.name = name
        self.service = service
        self.http = http
        clock = services.clock
        authorization = service.authorization.open(services, http: http)
        var own: [ServiceCall.Purpose: any Authorization] = [:]
        for purpose in ServiceCall.Purpose.allCases {
            own[purpose] = service.call(purpose)?.ownAuthorization { $0.open(services, http: http) }
        }
        self.own = own
    }

    func recognise(_ credentials: Credentials, inquiry: Inquiry) async throws -> Recognition {
        var search = VariantSearch(preference: service.preference)
        for (index, variant) in service.variants.enumerated() {
            do {
                guard let subscriber = try await signIn(credentials, variant) else { continue }
                guard search.needsState(isLast: index == service.variants.count - 1) else {
                    return .recognised(subscriber)
                }
                do {
                    let found = try await subscription(of: subscriber, inquiry: inquiry)
                    if found.state == .active { return .recognised(subscriber) }
                    search.recognised(subscriber, isStateKnown: true)
                } catch let error where !(error is CancellationError) {
                    search.recognised(subscriber, isStateKnown: false)
                }
            } catch let error where !(error is CancellationError) && service.variants.count > 1 {
                search.failed(error)
            }
        }
        return try search.end()
    }

    /// Nil when the service does not recognise the credentials.
    private func signIn(_ credentials: Credentials, _ variant: HTTPService.Variant) async throws -> Subscriber? {
        var typed = ["identifier": credentials.identifier]
        for name in [service.identifier] + service.proofs {
            // Some services take a blank for anybody (PITFALLS row 14).
            guard let value = credentials[name], !value.allSatisfy(\.isWhitespace) else { return nil }
            typed[name] = value
        }
        let values = TemplateValues(variant.constants).adding(typed)
        let question: HTTPQuestion
        do {
            question = try service.signIn.question(values)
        } catch {
            // What can not be asked about is nobody's.
            guard error.name == nil else { throw error }
            return nil
        }
        let answer: ServiceCall.Outcome
        do {
            answer = try await outcome(of: service.signIn, question, values)
        } catch let error as Unsendable where error.name == nil {
            return nil
        }
        guard case .good(let read) = answer else { return nil }
        return try subscriber(values, read, variant)
    }

    private func subscriber(
        _ values: TemplateValues, _ read: [String: [String]], _ variant: HTTPService.Variant
    ) throws -> Subscriber {
        var values = values
        for name in service.kept.union(service.key.names) where values.values[name] == nil {
            guard let found = read[name], found.count == 1, !found[0].allSatisfy(\.isWhitespace) else {
                throw ServiceFailure.noValue(name)
            }
            values.values[name] = found[0]
        }
        let key = try service.key.render(values, in: .asIs)
        guard !key.allSatisfy(\.isWhitespace) else { throw ServiceFailure.noValue("key") }
        let session = ServiceSession(
            variant: variant.name, values: values.values.filter { service.kept.contains($0.key) })
        return Subscriber(backend: name, key: key, upstreamSession: session.text)
    }

    func subscription(of subscriber: Subscriber, inquiry: Inquiry) async throws -> Subscription {
        // A session of another make, or of a variant that is gone, is nobody's.
        guard let (values, _) = values(for: subscriber) else { return Subscription(state: .unknown) }
        switch try await ask(service.subscription, values) {
        case .refused: return Subscription(state: .unknown)
        case .good(var read):
            for (name, value) in values.values where read[name] == nil && (name == "key" || service.kept.contains(name))
            {
                read[name] = [value]
            }
            return try service.mapping.subscription(from: Record(read, namesEveryField: true), at: clock.now)
        }
    }

    func renew(_ subscriber: Subscriber, inquiry: Inquiry) async throws -> Recognition {
        guard let (values, session) = values(for: subscriber) else { return .notRecognised(message: nil) }
        guard let renew = service.call(.renew) else {
            let subscription = try await subscription(of: subscriber, inquiry: inquiry)
            return [.unknown, .stale].contains(subscription.state)
                ? .notRecognised(message: subscription.message) : .recognised(subscriber)
        }
        guard case .good(let read) = try await ask(renew, values) else { return .notRecognised(message: nil) }
        var renewed = session
        for name in service.kept where renew.read.contains(name) {
            guard let found = read[name], found.count == 1, !found[0].allSatisfy(\.isWhitespace) else {
                throw ServiceFailure.noValue(name)
            }
            renewed.values[name] = found[0]
        }
        return .recognised(Subscriber(backend: name, key: subscriber.key, upstreamSession: renewed.text))
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, inquiry: Inquiry
    ) async throws -> EditionVerdict? {
        guard let call = service.call(.verdict), let edition else { return nil }
        guard let (values, _) = values(for: subscriber) else { return .refused(.notRecognised, message: nil) }
        switch try await ask(call, values.adding(["edition": edition.rawValue])) {
        case .good: return .granted
        case .refused(let read):
            let message = service.verdictMessage.flatMap { read[$0]?.first }
            return .refused(.notEntitled, message: message.flatMap { $0.isEmpty ? nil : $0 })
        }
    }

    func signOut(_ subscriber: Subscriber, inquiry: Inquiry) async throws {
        guard let call = service.call(.signOut), let (values, _) = values(for: subscriber) else { return }
        _ = try await ask(call, values)
    }

    func health() async throws {
        guard let call = service.call(.health) else { return }
        guard case .good = try await ask(call, TemplateValues(service.variants[0].constants)) else {
            throw ServiceFailure.contradictory(.health)
        }
    }

    private func values(for subscriber: Subscriber) -> (TemplateValues, ServiceSession)? {
        guard subscriber.backend == name, let session = ServiceSession(subscriber.upstreamSession),
            let variant = service.variants.first(where: { $0.name == session.variant }),
            service.kept.isSubset(of: Set(session.values.keys))
        else { return nil }
        let values = TemplateValues(variant.constants).adding(session.values).adding(["key": subscriber.key])
        return (values, session)
    }

    private func ask(_ call: ServiceCall, _ values: TemplateValues) async throws -> ServiceCall.Outcome {
        try await outcome(of: call, try call.question(values), values)
    }

    private func outcome(
        of call: ServiceCall, _ question: HTTPQuestion, _ values: TemplateValues
    ) async throws -> ServiceCall.Outcome {
        let answer = try await (own[call.purpose] ?? authorization).send(question, values, through: http)
        return try call.outcome(of: answer)
    }
}
