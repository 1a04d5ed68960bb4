import Foundation
import Gatefold
import OutgoingRequests
import Primitives

/// A subscriber backend that authenticates readers with a service over HTTP.
struct HTTPServiceBackend: EditionDecidingBackend, RenewingBackend, SigningOutBackend {
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

    func authenticate(_ credentials: Credentials, context: CallContext) async throws -> Fetched<AuthenticationResult> {
        var search = VariantSearch(preference: service.preference)
        for (index, variant) in service.variants.enumerated() {
            do {
                guard let subscriber = try await signIn(credentials, variant) else { continue }
                guard search.needsState(isLast: index == service.variants.count - 1) else {
                    return .authenticated(subscriber)
                }
                do {
                    let found = try await subscription(of: subscriber, context: context).value
                    if found.state == .active { return .authenticated(subscriber) }
                    search.authenticated(subscriber, isStateKnown: true)
                } catch let error where !(error is CancellationError) {
                    search.authenticated(subscriber, isStateKnown: false)
                }
            } catch let error where !(error is CancellationError) && service.variants.count > 1 {
                search.failed(error)
            }
        }
        return Fetched(try search.end())
    }

    /// Signs in with one variant. Returns nil when the service rejects the credentials.
    private func signIn(_ credentials: Credentials, _ variant: HTTPService.Variant) async throws -> Subscriber? {
        var typed = ["identifier": credentials.identifier]
        for name in [service.identifier] + service.proofs {
            // Some services accept a blank field from anyone. Source: Pitfall 14, “Empty passwords and blank fields
            // that succeed”.
            guard let value = credentials[name], !value.allSatisfy(\.isWhitespace) else { return nil }
            typed[name] = value
        }
        let values = TemplateValues(variant.constants).adding(typed)
        let request: OutboundRequest
        do {
            request = try service.signIn.request(values)
        } catch {
            // Credentials that cannot be sent belong to no reader.
            guard error.name == nil else { throw error }
            return nil
        }
        let response: ServiceCall.Outcome
        do {
            response = try await outcome(of: service.signIn, request, values)
        } catch let error as UnsendableValue where error.name == nil {
            return nil
        }
        guard case .good(let read) = response else { return nil }
        return try subscriber(values, read, variant)
    }

    private func subscriber(
        _ values: TemplateValues, _ read: [String: [String]], _ variant: HTTPService.Variant
    ) throws -> Subscriber {
        var values = values
        for name in service.retainedFields.union(service.key.names) where values.values[name] == nil {
            guard let found = read[name], found.count == 1, !found[0].allSatisfy(\.isWhitespace) else {
                throw ServiceFailure.noValue(name)
            }
            values.values[name] = found[0]
        }
        let key = try service.key.render(values, in: .plain)
        guard !key.allSatisfy(\.isWhitespace) else { throw ServiceFailure.noValue("key") }
        let session = ServiceSession(
            variant: variant.name, values: values.values.filter { service.retainedFields.contains($0.key) })
        return Subscriber(backend: name, key: key, upstreamSession: session.text)
    }

    func subscription(of subscriber: Subscriber, context: CallContext) async throws -> Fetched<Subscription> {
        // A session in another format, or of a variant that no longer exists, belongs to no reader.
        guard let (values, _) = values(for: subscriber) else { return Fetched(Subscription(state: .unknown)) }
        switch try await send(service.subscription, values) {
        case .rejected: return Fetched(Subscription(state: .unknown))
        case .good(var read):
            for (name, value) in values.values
            where read[name] == nil && (name == "key" || service.retainedFields.contains(name)) {
                read[name] = [value]
            }
            return Fetched(
                try service.mapping.subscription(from: Record(read, requiresEveryField: true), at: clock.now))
        }
    }

    func renew(_ subscriber: Subscriber, context: CallContext) async throws -> AuthenticationResult {
        guard let (values, session) = values(for: subscriber) else { return .rejected(message: nil) }
        guard let renew = service.call(.renew) else {
            let subscription = try await subscription(of: subscriber, context: context).value
            return [.unknown, .stale].contains(subscription.state)
                ? .rejected(message: subscription.message) : .authenticated(subscriber)
        }
        guard case .good(let read) = try await send(renew, values) else { return .rejected(message: nil) }
        var renewed = session
        for name in service.retainedFields where renew.read.contains(name) {
            guard let found = read[name], found.count == 1, !found[0].allSatisfy(\.isWhitespace) else {
                throw ServiceFailure.noValue(name)
            }
            renewed.values[name] = found[0]
        }
        return .authenticated(Subscriber(backend: name, key: subscriber.key, upstreamSession: renewed.text))
    }

    func verdict(
        on edition: EditionID?, for subscriber: Subscriber, context: CallContext
    ) async throws -> Fetched<EditionVerdict?> {
        guard let call = service.call(.verdict), let edition else { return Fetched(nil) }
        guard let (values, _) = values(for: subscriber) else { return Fetched(.rejected(.rejected, message: nil)) }
        switch try await send(call, values.adding(["edition": edition.rawValue])) {
        case .good: return Fetched(.granted)
        case .rejected(let read):
            let message = service.verdictMessage.flatMap { read[$0]?.first }
            return Fetched(.rejected(.notEntitled, message: message.flatMap { $0.isEmpty ? nil : $0 }))
        }
    }

    func signOut(_ subscriber: Subscriber, context: CallContext) async throws {
        guard let call = service.call(.signOut), let (values, _) = values(for: subscriber) else { return }
        _ = try await send(call, values)
    }

    func health() async throws {
        guard let call = service.call(.health) else { return }
        guard case .good = try await send(call, TemplateValues(service.variants[0].constants)) else {
            throw ServiceFailure.contradictory(.health)
        }
    }

    private func values(for subscriber: Subscriber) -> (TemplateValues, ServiceSession)? {
        guard subscriber.backend == name, let session = ServiceSession(subscriber.upstreamSession),
            let variant = service.variants.first(where: { $0.name == session.variant }),
            service.retainedFields.isSubset(of: Set(session.values.keys))
        else { return nil }
        let values = TemplateValues(variant.constants).adding(session.values).adding(["key": subscriber.key])
        return (values, session)
    }

    private func send(_ call: ServiceCall, _ values: TemplateValues) async throws -> ServiceCall.Outcome {
        try await outcome(of: call, try call.request(values), values)
    }

    private func outcome(
        of call: ServiceCall, _ request: OutboundRequest, _ values: TemplateValues
    ) async throws -> ServiceCall.Outcome {
        QueryTrace.begin("calls.\(call.purpose.rawValue)")
        let response = try await (own[call.purpose] ?? authorization).send(request, values, through: http)
        return try call.outcome(of: response)
    }
}
