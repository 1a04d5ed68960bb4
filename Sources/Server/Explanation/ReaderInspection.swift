import Backends
import Catalogues
import ContentGate
package import Foundation
import FrontDoors
package import Gatefold
import PasswordHashing
import Primitives
package import State

/// The parts with which a reader of one publication is examined: the subscriber systems behind their protections, the
/// catalogue, the state and the content. It changes none of them.
package struct ReaderInspection: Sendable {
    package let service: AuthorizationService
    private let isOtherTime: Bool
    /// Whether the service is the one that serves the readers, with its cached results and its denials.
    private let isServing: Bool
    /// The catalogue, if nothing else fetches it.
    private let catalogue: CachedCatalogue?
    private let content: ContentLayout?

    /// Opens the backends of the configuration for a command, which create and change nothing.
    ///
    /// - Parameters:
    ///   - publication: The publication.
    ///   - configuration: The configuration.
    ///   - state: The state store.
    ///   - revocations: The recorded revocations.
    ///   - timestamp: The time for which everything is evaluated, also by the backends; nil for the present.
    /// - Throws: `SettingsError` or ``BootstrapError``.
    package init(
        _ publication: PublicationConfiguration, in configuration: GatefoldConfiguration, state: any StateStore,
        revocations: RevocationLists, at timestamp: Date? = nil
    ) throws {
        try self.init(
            publication, in: configuration, state: state, revocations: revocations,
            throttle: Self.throttle(configuration, state), at: timestamp)
    }

    /// Uses the parts of a server that serve its readers, for the present.
    init(serving service: AuthorizationService, in set: ServingState) {
        self.service = service
        (isOtherTime, isServing, catalogue) = (false, true, nil)
        content = set.configuration?.publications.first { $0.publication.id == service.publication.id }?.content
    }

    /// Opens the backends of a publication a second time, with the given time as their present. The server's own backends
    /// cache results of the real present. The catalogue is that of the server.
    ///
    /// - Throws: `SettingsError`, ``BootstrapError`` or ``InspectionError``.
    init(of id: PublicationID, in set: ServingState, _ parts: ServerServices, at timestamp: Date) throws {
        guard var configuration = set.configuration,
            let publication = configuration.publications.first(where: { $0.publication.id == id })
        else { throw InspectionError.notServed(id) }
        let family = Set(set.backends.family(of: publication.backend).map { $0.name })
        configuration.publications = [publication]
        configuration.backends.removeAll { !family.contains($0.name) }
        var before = set
        before.backends = LiveBackendRegistry()
        try self.init(
            publication, in: configuration, state: parts.state, revocations: parts.revocations,
            throttle: parts.loginThrottle, at: timestamp, reusing: before)
    }

    private init(
        _ publication: PublicationConfiguration, in configuration: GatefoldConfiguration, state: any StateStore,
        revocations: RevocationLists, throttle: any LoginThrottling, at timestamp: Date?,
        reusing before: ServingState? = nil
    ) throws {
        (isOtherTime, isServing) = (timestamp != nil, false)
        let clock = timestamp.map { timestamp in WallClock { timestamp } } ?? .system
        let id = publication.publication.id
        let parts = ServerServices(
            state: state, pseudonymKey: configuration.state.pseudonymKey, revocations: revocations,
            loginThrottle: throttle, services: try Bootstrap.commandServices(configuration, clock: clock),
            catalogueFolder: configuration.catalogueFolder, persistsCatalogues: false,
            // The catalogue is fetched at present.
            catalogueServices: CatalogueServices(clock: .system, random: .system))
        let set = try parts.assemble(configuration, reusing: before)
        guard let service = set.directory.byID[id] else { throw InspectionError.notServed(id) }
        self.service = service
        catalogue = set.catalogues[id]
        content = publication.content
    }

    /// The throttle of a server with the same state. A server with an embedded state counts in its own memory.
    private static func throttle(
        _ configuration: GatefoldConfiguration, _ state: any StateStore
    ) -> any LoginThrottling {
        if state.sharedClock == nil { return ForeignLoginThrottle() }
        return SharedLoginThrottle(
            SignInThrottle.purpose, limits: configuration.loginThrottle, store: state,
            pseudonymKey: configuration.state.pseudonymKey)
    }

    /// Returns the credentials of a lookup, or nil if no sign-in accepts the identifier.
    package func credentials(finding identifier: String) -> Credentials? {
        Credentials(finding: identifier, field: service.publication.credentialFields.identifier)
    }

    /// Returns the subscribers with a sign-in identifier, in all systems of the publication.
    ///
    /// - Throws: A cancellation error.
    package func lookUp(_ credentials: Credentials) async throws -> ReaderLookup {
        do {
            return try await service.backend.lookUp(credentials, context: CallContext()).value
        } catch let error where !(error is CancellationError) {
            return ReaderLookup(failures: [service.backend.name: Self.cause(of: error)])
        }
    }

    /// Returns the cause of a failed query. The text of another error may quote a reader's input.
    static func cause(of error: any Error) -> String {
        (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
    }

    /// Explains whether a reader can open an edition. If no editions are cached, the catalogue is fetched once.
    package func explain(
        _ subject: ExplanationSubject, _ edition: EditionID
    ) async throws -> Explanation {
        if let catalogue, catalogue.current.value.isPending { await catalogue.follow() }
        return try await service.explain(subject, edition, isOtherTime: isOtherTime, isServing: isServing) {
            [content] edition, archive in
            await content?.file(of: edition, archive) ?? .elsewhere
        }
    }

    /// Returns the explanation for a reader whom the lookup did not find.
    package func explain(unknown lookup: ReaderLookup, _ edition: EditionID) -> Explanation {
        Explanation.ofUnknownReader(
            lookup, in: service.publication.id, edition, at: service.now, isOtherTime: isOtherTime)
    }
}

/// The throttle of another process, whose counters this process cannot read.
private struct ForeignLoginThrottle: LoginThrottling {
    func admit(
        _ attempt: LoginAttempt, at now: TimeInterval, isKnownDevice: @Sendable () async -> Bool
    ) async -> LoginThrottleVerdict { .proceed(LoginAttemptPermit(attempt)) }

    func settle(
        _ permit: LoginAttemptPermit, as outcome: LoginAttemptOutcome, of subscribers: [SubscriberPseudonym],
        at now: TimeInterval
    ) -> LoginAttemptSettlement { .final }
}

/// The name of the login throttle, under which all nodes count.
enum SignInThrottle {
    static let purpose = "sign-in"
}

package enum InspectionError: Error, CustomStringConvertible {
    case notServed(PublicationID)

    package var description: String {
        switch self {
        case .notServed(let publication): "the publication \(publication) is not served"
        }
    }
}

extension Bootstrap {
    /// Returns the services of the backends that a command opens in its own process to read from them.
    static func commandServices(
        _ configuration: GatefoldConfiguration, clock: WallClock = .system, random: RandomSource = .system
    ) throws -> BackendServices {
        var services = BackendServices(
            clock: clock, random: random,
            passwords: PasswordVerifier(
                hasher: try configuration.passwords.hasher(), concurrency: configuration.passwords.workers),
            pseudonymKey: configuration.state.pseudonymKey)
        services.isReadOnly = true
        return services
    }
}
