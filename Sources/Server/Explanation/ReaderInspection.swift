import Backends
import Catalogues
import ContentGate
package import Foundation
import FrontDoors
package import Gatefold
import PasswordHashing
import Primitives
package import State

/// The parts with which a command examines a reader of one publication: the subscriber systems behind their protections,
/// the catalogue, the state and the content. It changes none of them.
package struct ReaderInspection: Sendable {
    package let service: AuthorizationService
    private let isOtherTime: Bool
    private let catalogue: CachedCatalogue?
    private let content: ContentLayout?

    /// Opens the backends of the configuration, which create and change nothing.
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
        isOtherTime = timestamp != nil
        let clock = timestamp.map { timestamp in WallClock { timestamp } } ?? .system
        let id = publication.publication.id
        let parts = ServerServices(
            state: state, pseudonymKey: configuration.state.pseudonymKey, revocations: revocations,
            loginThrottle: Self.throttle(configuration, state),
            services: try Bootstrap.commandServices(configuration, clock: clock),
            catalogueFolder: configuration.catalogueFolder, persistsCatalogues: false,
            // The catalogue is fetched at present.
            catalogueServices: CatalogueServices(clock: .system, random: .system))
        let set = try parts.assemble(configuration)
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
            let cause = (error as? any BackendFailure)?.cause ?? String(describing: type(of: error))
            return ReaderLookup(failures: [service.backend.name: cause])
        }
    }

    /// Explains whether a reader can open an edition. If no editions are cached, the catalogue is fetched once.
    package func explain(
        _ subject: ExplanationSubject, _ edition: EditionID
    ) async throws -> Explanation {
        if let catalogue, catalogue.current.value.isPending { await catalogue.follow() }
        return try await service.explain(subject, edition, isOtherTime: isOtherTime, isServing: false) {
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
