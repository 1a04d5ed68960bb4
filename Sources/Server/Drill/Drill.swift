import Backends
import Catalogues
public import Foundation
import FrontDoors
public import Gatefold
import PasswordHashing
public import Primitives
import State
import Synchronization

/// A drill that injects a fault into one backend, behind its configured protections, and records the results that
/// readers receive.
///
/// The drill opens its own backends, through which it queries the real systems. It does not touch the devices,
/// revocations and login attempts of the server.
public struct Drill: Sendable {
    public struct Plan: Sendable {
        public var publication: PublicationID
        public var backend: String
        public var fault: DrillFault
        /// The credentials of the readers, each as named fields.
        public var readers: [[String: String]]
        public var edition: String?
        /// The duration of each of the three phases, in seconds.
        public var phase: TimeInterval
        /// The number of calls per second, of all readers together.
        public var rate: Int

        public init(
            publication: PublicationID, backend: String, fault: DrillFault, readers: [[String: String]],
            edition: String?, phase: TimeInterval, rate: Int
        ) {
            self.publication = publication
            self.backend = backend
            self.fault = fault
            self.readers = readers
            self.edition = edition
            self.phase = phase
            self.rate = rate
        }
    }

    /// An error that prevents a drill from starting.
    public enum Failure: Error, Sendable, CustomStringConvertible {
        case noSuchBackend(String, known: [String])
        case notQueried(String, by: PublicationID)
        case noReaderSignsIn(String)
        /// The catalogue has no cached editions, and its source did not respond.
        case noCatalogue(PublicationID, cause: String?)

        public var description: String {
            switch self {
            case .noSuchBackend(let name, let known):
                "no backend \(name); expected one of \(known.joined(separator: ", "))"
            case .notQueried(let name, let publication):
                "the publication \(publication) does not use the backend \(name)"
            case .noReaderSignsIn(let cause): "no reader could sign in before the drill: \(cause)"
            case .noCatalogue(let publication, let cause):
                "the catalogue of \(publication) is not available, so that entitlements are unknown: "
                    + (cause ?? "its source has not responded")
            }
        }
    }

    private let plan: Plan
    private let authorizationService: AuthorizationService
    private let faulty: FaultyBackend
    private let catalogue: CachedCatalogue

    /// - Parameters:
    ///   - plan: The plan of the outage.
    ///   - configuration: The configuration.
    ///   - folder: An empty folder for the drill's own state.
    ///   - random: The source of randomness.
    /// - Throws: ``Failure``, `SettingsError` or ``BootstrapError``.
    public init(_ plan: Plan, _ configuration: GatefoldConfiguration, folder: URL, random: RandomSource = .system)
        throws
    {
        self.plan = plan
        let backends = try Bootstrap.plan(configuration)
        guard backends.kind(plan.backend) != nil else {
            throw Failure.noSuchBackend(plan.backend, known: backends.entries.map(\.name))
        }
        guard let queries = configuration.publications.first(where: { $0.publication.id == plan.publication }),
            backends.family(of: queries.backend).contains(where: { $0.name == plan.backend })
        else { throw Failure.notQueried(plan.backend, by: plan.publication) }
        let parts = ServerServices(
            state: try Bootstrap.temporaryStateStore(in: folder),
            pseudonymKey: configuration.state.pseudonymKey, revocations: RevocationLists(),
            loginThrottle: UnlimitedLoginAttempts(),
            services: BackendServices(
                clock: .system, random: random,
                passwords: PasswordVerifier(
                    hasher: try configuration.passwords.hasher(), concurrency: configuration.passwords.workers),
                pseudonymKey: configuration.state.pseudonymKey),
            catalogueFolder: configuration.catalogueFolder, persistsCatalogues: false)
        let faultInjector = FaultInjector()
        let set = try parts.assemble(configuration) { name, backend in
            guard name == plan.backend else { return backend }
            return faultInjector.wrap(backend, random: random)
        }
        guard let faulty = faultInjector.backend, let authorizationService = set.directory.byID[plan.publication],
            let catalogue = set.catalogues[plan.publication]
        else { throw Failure.notQueried(plan.backend, by: plan.publication) }
        self.catalogue = catalogue
        self.faulty = faulty
        self.authorizationService = authorizationService
    }

    /// Runs the three phases.
    ///
    /// - Parameter progress: Receives the name of each phase when it begins.
    /// - Throws: ``Failure/noReaderSignsIn(_:)`` or ``Failure/noCatalogue(_:cause:)``, and an error if the task is
    ///   cancelled.
    public func run(progress: @Sendable (String) -> Void = { _ in }) async throws -> DrillReport {
        try await awaitCatalogue()
        // Every second reader signs in for the first time during the fault.
        let warm = plan.readers.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        let cold = plan.readers.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        var known: [DrillReader] = []
        var problem = "none of the given readers could sign in"
        for fields in warm {
            do {
                if let reader = try await DrillReader(fields, edition: plan.edition, authorizationService) {
                    known.append(reader)
                }
            } catch {
                problem = "\(error)"
            }
        }
        guard !known.isEmpty else { throw Failure.noReaderSignsIn(problem) }
        var report = DrillReport(
            backend: plan.backend, publication: plan.publication.rawValue, fault: "\(plan.fault)",
            warmReaders: known.count, coldReaders: cold.count)
        for (name, fault) in [("before", nil), ("during", plan.fault), ("after", nil)] as [(String, DrillFault?)] {
            progress(name)
            faulty.set(fault)
            let tally = DrillTally()
            try await play(known, cold: fault == nil ? [] : cold, tally)
            let load = faulty.load
            report.phases.append(
                DrillReport.Phase(name: name, results: tally.results, queries: load.queries, maxConcurrent: load.peak))
        }
        return report
    }

    /// Fetches the catalogue once if no cached editions exist. A drill runs no catalogue follower, and the cached
    /// editions of a server are current enough.
    private func awaitCatalogue() async throws {
        guard catalogue.current.value.isPending else { return }
        await catalogue.follow()
        try Task.checkCancellation()
        guard catalogue.current.value.isPending else { return }
        throw Failure.noCatalogue(plan.publication, cause: catalogue.status(at: WallClock.system.now).failure)
    }

    /// Sends calls at the rate of the plan. A call does not wait for the result of the previous call, because real
    /// readers do not wait either.
    private func play(_ known: [DrillReader], cold: [[String: String]], _ tally: DrillTally) async throws {
        let authorizationService = authorizationService
        try await withThrowingTaskGroup(of: Void.self) { group in
            let begin = ContinuousClock.now
            let count = Int(plan.phase * Double(plan.rate))
            for number in 0..<count {
                try await Task.sleep(until: begin + .seconds(Double(number) / Double(plan.rate)))
                let reader = known[number / 5 % known.count]
                switch number % 5 {
                case 0 where !cold.isEmpty:
                    let fields = cold[number / 5 % cold.count]
                    group.addTask { await DrillReader.signInAgain(fields, authorizationService, tally) }
                case 0, 1: group.addTask { await reader.signIn(authorizationService, tally) }
                case 2: group.addTask { await reader.credentials(authorizationService, tally) }
                default: group.addTask { await reader.verify(authorizationService, tally) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// A holder for the faulty backend that wraps the opened backend.
private final class FaultInjector: Sendable {
    private let content = Mutex<FaultyBackend?>(nil)

    var backend: FaultyBackend? { content.withLock { $0 } }

    func wrap(_ backend: any SubscriberBackend, random: RandomSource) -> any SubscriberBackend {
        let faulty = FaultyBackend(backend, random: random)
        content.withLock { $0 = faulty }
        return faulty
    }
}
