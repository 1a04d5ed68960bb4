import Foundation
package import Gatefold
import HTTPTypes
import JSON
package import Primitives

/// The admin API: what all operations have in common, done once around their handlers.
///
/// A request is authenticated, matched, authorised, checked against the declaration of its operation, and only then handled.
/// An error reveals no more than the user may know: without a valid token every path has the same response, and an object of a
/// publication outside of the token's scope is not found, like a missing one.
package struct AdminAPI<Services: Sendable>: Sendable {
    /// The path of the API on the admin listener.
    package static var root: String { "/admin/v1" }
    /// The maximum size of a body in bytes.
    package static var maxBody: Int { 16 << 10 }
    /// The time in seconds after which a change without an outcome counts as failed.
    private static var leaseTime: TimeInterval { 60 }
    /// The maximum numbers of requests of a token per minute at one node. Entries of the audit log are never deleted, so a flood
    /// of requests must not fill the state.
    package static var changesPerMinute: Int { 60 }
    package static var readsPerMinute: Int { 300 }

    /// What the API needs of the server.
    package struct Environment: Sendable {
        package let tokens: any AdminTokenStore
        package let outcomes: any AdminOutcomeStore
        package let log: any AuditLog
        package let key: PseudonymKey
        package let clock: WallClock
        package let random: RandomSource
        package let hasPublication: @Sendable (PublicationID) -> Bool
        /// Returns the problem for an error that is none, and logs it.
        package let problem: @Sendable (any Error) -> AdminProblem
        package let didMissOutcome: @Sendable (any Error) -> Void
        /// Receives each response, for logs and metrics.
        package let didRespond: @Sendable (AdminTrace) -> Void

        package init(
            tokens: any AdminTokenStore, outcomes: any AdminOutcomeStore, log: any AuditLog, key: PseudonymKey,
            clock: WallClock, random: RandomSource = .system,
            hasPublication: @escaping @Sendable (PublicationID) -> Bool,
            problem: @escaping @Sendable (any Error) -> AdminProblem,
            didMissOutcome: @escaping @Sendable (any Error) -> Void,
            didRespond: @escaping @Sendable (AdminTrace) -> Void = { _ in }
        ) {
            self.tokens = tokens
            self.outcomes = outcomes
            self.log = log
            self.key = key
            self.clock = clock
            self.random = random
            self.hasPublication = hasPublication
            self.problem = problem
            self.didMissOutcome = didMissOutcome
            self.didRespond = didRespond
        }
    }

    private typealias Match = (operation: AdminOperation<Services>, path: [String: String])

    private let operations: [AdminOperation<Services>]
    private let services: Services
    private let environment: Environment
    private let authenticator: AdminAuthenticator
    /// The sessions of browsers in the console, whose users call the operations in the process.
    package let consoleSessions: ConsoleSessions
    private let changes = MinuteCounts<String>(limit: Self.changesPerMinute)
    private let reads = MinuteCounts<String>(limit: Self.readsPerMinute)
    /// The denials that are recorded in the audit log.
    private let denials = MinuteCounts<String>(limit: 1)

    package init(_ operations: [AdminOperation<Services>], _ services: Services, _ environment: Environment) {
        self.operations = operations
        self.services = services
        self.environment = environment
        authenticator = AdminAuthenticator(environment.tokens, key: environment.key, clock: environment.clock)
        consoleSessions = ConsoleSessions(
            environment.tokens, authenticator, log: environment.log, key: environment.key, clock: environment.clock,
            random: environment.random, didMissOutcome: environment.didMissOutcome)
    }

    package func respond(to request: AdminRequest) async -> AdminResponse {
        await respond(to: request) {
            if let fault = DirectRequest.fault(of: request) { throw AdminProblem.invalid(fault) }
            return try await authenticator.user(of: request)
        }
    }

    /// Responds to the request of a user whom the function authenticates.
    private func respond(
        to request: AdminRequest, authenticate: () async throws -> AdminUser
    ) async -> AdminResponse {
        var user: AdminUser?
        var operation: AdminOperation<Services>?
        var response: AdminResponse
        do {
            let known = try await authenticate()
            user = known
            let found = try match(request)
            operation = found.operation
            response = try await respond(to: request, found.operation, found.path, of: known)
        } catch {
            response = AdminResponse((error as? AdminProblem) ?? environment.problem(error))
        }
        response.route = operation.map { Self.root + $0.path.description }
        environment.didRespond(
            AdminTrace(user: user?.id, operation: operation?.id, status: response.status))
        return response
    }

    private func match(_ request: AdminRequest) throws(AdminProblem) -> Match {
        let all: [Match] = operations.compactMap { operation in
            operation.path.match(path: request.path[...]).map { (operation, $0) }
        }
        // A path without a parameter at a place comes before one with a parameter there.
        let fewest = all.map(\.operation.path.parameters.count).min()
        let matches = all.filter { $0.operation.path.parameters.count == fewest }
        guard !matches.isEmpty else { throw .notFound }
        guard let match = matches.first(where: { $0.operation.method == request.method }) else {
            throw .methodNotAllowed(matches.map(\.operation.method.rawValue))
        }
        return match
    }

    private func respond(
        to request: AdminRequest, _ operation: AdminOperation<Services>, _ path: [String: String], of user: AdminUser
    ) async throws -> AdminResponse {
        let publication: PublicationID?
        do {
            publication = try authorise(operation, path, user)
        } catch let denial as Denial {
            await record(denial, operation, user)
            throw denial.problem
        }
        guard (operation.isChange ? changes : reads).add(user.id, at: environment.clock.elapsed) else {
            throw AdminProblem.tooMany(after: 60)
        }
        let query = try AdminQuery.read(
            request.query, operation.query + (operation.success.isPage ? AdminPage.parameters : []))
        let bytes = try await body(of: request, operation)
        if let sealed = user.body {
            let received = LocalOperatorPass.BodyDigest(bytes, key: environment.key)
            guard sealed == received else { throw AdminProblem.unauthenticated }
        }
        let body = try Self.parse(bytes, operation)
        let reason = try Self.reason(body["reason"], at: "/reason") ?? Self.reason(query["reason"], at: "reason")
        let filters = query.filter { !["cursor", "limit"].contains($0.key) }.sorted { $0.key < $1.key }
            .flatMap { [$0.key, String(decoding: JSONWriter.bytes($0.value), as: UTF8.self)] }
        let call = AdminCall(
            user: user, publicationID: publication, path: path, query: query, body: body,
            trail: trail(of: user, reason),
            now: environment.clock.now,
            page: try AdminPage.Request(
                limit: query["limit"]?.integer, cursor: query["cursor"]?.text,
                list: [operation.id, request.path] + filters, key: environment.key))
        guard operation.isChange else { return try await perform(operation, call) }
        let field = request.fields[IdempotencyKey.field]
        let key = IdempotencyKey(field)
        guard key != nil || field == nil && !operation.needsKey else {
            throw AdminProblem.invalid(.init("Idempotency-Key", IdempotencyKey.schema.expectation))
        }
        let target = [request.method.rawValue, request.path, request.query ?? ""]
        // A client that disconnects cancels its request. A change must not end between its two entries in the audit log, so it
        // is a task of its own.
        return try await Task {
            guard let key else { return try await perform(operation, call) }
            return try await once(key, target, bytes, operation, call)
        }.value
    }

    private func trail(of user: AdminUser, _ reason: AuditReason? = nil) -> AuditTrail {
        AuditTrail(
            environment.log, AuditChain(environment.key), by: user.actor, reason: reason,
            didMissOutcome: environment.didMissOutcome)
    }

    /// A request that the token does not permit.
    private struct Denial: Error {
        let problem: AdminProblem
        /// The publication of the request, if the server has it.
        var publication: PublicationID?
    }

    /// Records a denial in the audit log, at most one of a token in a minute. The response does not depend on it.
    private func record(_ denial: Denial, _ operation: AdminOperation<Services>, _ user: AdminUser) async {
        guard denials.add(user.id, at: environment.clock.elapsed) else { return }
        do {
            try await trail(of: user).record(.adminDeny, in: denial.publication, [("operation", operation.id)])
        } catch {
            environment.didMissOutcome(error)
        }
    }

    /// Checks the role and the scope of a user.
    ///
    /// - Returns: The publication in the path; nil if the operation has none.
    /// - Throws: ``Denial``, or ``AdminProblem/notFound``.
    private func authorise(
        _ operation: AdminOperation<Services>, _ path: [String: String], _ user: AdminUser
    ) throws -> PublicationID? {
        let named = path["publication"].flatMap { PublicationID($0) }
        let known = named.flatMap { environment.hasPublication($0) ? $0 : nil }
        guard user.scope.role >= operation.role else { throw Denial(problem: .forbidden, publication: known) }
        switch operation.reach {
        case .scoped: return nil
        case .everything:
            guard user.scope.publications == nil else { throw Denial(problem: .forbidden) }
            return nil
        case .publication:
            guard let named else { throw AdminProblem.notFound }
            guard user.scope.includes(named) else { throw Denial(problem: .notFound, publication: known) }
            guard let known else { throw AdminProblem.notFound }
            return known
        }
    }

    private func body(of request: AdminRequest, _ operation: AdminOperation<Services>) async throws -> [UInt8] {
        guard let bytes = try await request.readBody(Self.maxBody) else { throw AdminProblem.tooLarge }
        if operation.body == nil {
            guard bytes.isEmpty else { throw AdminProblem.invalid(.init("", "no body")) }
            return []
        }
        let type = (request.fields[.contentType] ?? "").prefix { $0 != ";" }
        guard type.lowercased().trimmingSpaces() == "application/json" else { throw AdminProblem.unsupportedType }
        return bytes
    }

    private static func parse(
        _ bytes: [UInt8], _ operation: AdminOperation<Services>
    ) throws(AdminProblem) -> JSONValue {
        guard let declared = operation.body else { return .null }
        let value: JSONValue
        do {
            value = try JSONParser.parse(bytes)
        } catch {
            throw .invalid(.init("", "a JSON object without duplicate members"))
        }
        let faults = declared.schema.faults(of: value)
        guard faults.isEmpty else { throw .invalid(faults) }
        return value
    }

    /// Returns the reason in a body or a query, for the audit log.
    private static func reason(_ value: JSONValue?, at location: String) throws(AdminProblem) -> AuditReason? {
        guard let text = value?.text else { return nil }
        guard let reason = AuditReason(text) else {
            throw .invalid(.init(location, AdminReason.expectation))
        }
        return reason
    }

    private func perform(
        _ operation: AdminOperation<Services>, _ call: AdminCall
    ) async throws -> AdminResponse {
        let json = try await operation.handler(services, call)
        return AdminResponse(operation.success.status, json: json.map(JSONWriter.bytes))
    }

    /// Makes a change once, however often its request arrives and at however many nodes.
    private func once(
        _ key: IdempotencyKey, _ target: [String], _ body: [UInt8], _ operation: AdminOperation<Services>,
        _ call: AdminCall
    ) async throws -> AdminResponse {
        let id = environment.key.digest("gatefold admin key 1", [call.user.id, key.text])
        let request = environment.key.digest(
            "gatefold admin request 1", target + [String(decoding: body, as: UTF8.self)])
        let lease = environment.random.bytes(16)
        var call = call
        let start = try await environment.outcomes.begin(
            id, request: request, lease: lease, at: environment.clock.now, lifetime: AdminOutcome.lifetime,
            leaseTime: Self.leaseTime)
        switch start {
        case .running: throw AdminProblem.conflict
        case .mismatch: throw AdminProblem.otherRequest
        case .finished(let outcome): return try stored(outcome)
        case .started(let firstAttempt): call.now = firstAttempt
        }
        let response: AdminResponse
        do {
            response = try await perform(operation, call)
        } catch {
            // The change may be made again: each leaves the same result however often it is made.
            await finish(id, lease, nil)
            throw error
        }
        await finish(
            id, lease,
            AdminOutcome(
                status: response.status, body: try environment.key.seal(response.body, for: Self.outcomePurpose)))
        return response
    }

    private func finish(_ id: [UInt8], _ lease: [UInt8], _ outcome: AdminOutcome?) async {
        do {
            try await environment.outcomes.finish(id, lease: lease, outcome)
        } catch {
            environment.didMissOutcome(error)
        }
    }

    private func stored(_ outcome: AdminOutcome) throws -> AdminResponse {
        guard let body = environment.key.open(outcome.body, for: Self.outcomePurpose) else { throw AdminProblem.failed }
        return AdminResponse(outcome.status, json: body.isEmpty ? nil : body)
    }

    private static var outcomePurpose: String { "gatefold admin outcome 1" }
}

extension AdminAPI: AdminOperationRunner {
    /// The request is one of the API, so that all of its checks apply. Only the authentication was made before.
    package func respond(to call: InProcessCall, of user: AdminUser) async -> AdminResponse {
        let operation = operations.first { $0.id == call.operation }
        let request = call.request(of: operation?.method ?? .get, at: operation?.path ?? PathTemplate(""))
        return await respond(to: request) { user }
    }

    package func permits(_ operation: String, to user: AdminUser) -> Bool {
        guard let operation = operations.first(where: { $0.id == operation }) else { return false }
        return user.scope.role >= operation.role
            && (operation.reach != .everything || user.scope.publications == nil)
    }
}

extension String {
    fileprivate func trimmingSpaces() -> String { trimmingCharacters(in: .whitespaces) }
}
