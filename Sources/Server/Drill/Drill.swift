import Backends
import Catalogues
public import Foundation
import FrontDoors
public import Gatefold
import State
import Synchronization

/// Plays a bad day of one backend, with the protections that are configured around it, and writes down what readers are
/// answered meanwhile.
///
/// It opens backends of its own and asks the real systems by way of them; devices, revocations and guesses of the server
/// are left alone.
public struct Drill: Sendable {
    public struct Plan: Sendable {
        public var publication: PublicationID
        public var backend: String
        public var fault: DrillFault
        /// What readers type, each as named fields.
        public var readers: [[String: String]]
        public var edition: String?
        /// How long each of the three phases is, in seconds.
        public var phase: TimeInterval
        /// Questions a second, of all readers together.
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

    /// Why a drill could not begin.
    public enum Failure: Error, Sendable, CustomStringConvertible {
        case noSuchBackend(String, known: [String])
        case notAsked(String, by: PublicationID)
        case noReaderSignsIn(String)
        /// Nothing is remembered of the catalogue, and its source did not answer.
        case noCatalogue(PublicationID, cause: String?)

        public var description: String {
            switch self {
            case .noSuchBackend(let name, let known):
                "there is no backend \(name); expected one of \(known.joined(separator: ", "))"
            case .notAsked(let name, let publication): "the publication \(publication) does not ask the backend \(name)"
            case .noReaderSignsIn(let cause): "no reader could sign in before the drill: \(cause)"
            case .noCatalogue(let publication, let cause):
                "the catalogue of \(publication) is still awaited, so that no reader can be told what they may read: "
                    + (cause ?? "its source has not answered")
            }
        }
    }

    private let plan: Plan
    private let proxy: PublicationProxy
    private let faulty: FaultyBackend
    private let catalogue: KeptCatalogue

    /// - Parameter folder: an empty folder for the drill's own state.
    /// - Throws: ``Failure``, ``SettingsError`` or ``AssemblyError``.
    public init(_ plan: Plan, _ configuration: GatefoldConfiguration, folder: URL, random: RandomSource = .system)
        throws
    {
        self.plan = plan
        let backends = try Assembly.plan(configuration)
        guard backends.kind(plan.backend) != nil else {
            throw Failure.noSuchBackend(plan.backend, known: backends.entries.map(\.name))
        }
        guard let asked = configuration.publications.first(where: { $0.publication.id == plan.publication }),
            backends.family(of: asked.backend).contains(where: { $0.name == plan.backend })
        else { throw Failure.notAsked(plan.backend, by: plan.publication) }
        let parts = LastingParts(
            state: try SQLiteStateStore(path: folder.appending(path: "state.sqlite").path),
            references: configuration.state.references, revocations: RevocationLists(), guesses: UnlimitedGuesses(),
            services: BackendServices(
                clock: .system, random: random,
                passwords: PasswordVerifier(
                    hasher: try configuration.passwords.hasher(), concurrency: configuration.passwords.workers),
                references: configuration.state.references),
            catalogueFolder: configuration.catalogueFolder, keepsCatalogues: false)
        let interposed = Interposed()
        let set = try parts.assemble(configuration) { name, backend in
            guard name == plan.backend else { return backend }
            return interposed.wrap(backend, random: random)
        }
        guard let faulty = interposed.backend, let proxy = set.directory.byID[plan.publication],
            let catalogue = set.catalogues[plan.publication]
        else { throw Failure.notAsked(plan.backend, by: plan.publication) }
        self.catalogue = catalogue
        self.faulty = faulty
        self.proxy = proxy
    }

    /// Plays the three phases.
    ///
    /// - Parameter progress: told the name of each phase as it begins.
    /// - Throws: ``Failure/noReaderSignsIn(_:)`` or ``Failure/noCatalogue(_:cause:)``, and when cancelled.
    public func run(progress: @Sendable (String) -> Void = { _ in }) async throws -> DrillReport {
        try await awaitCatalogue()
        // Every second reader comes for the first time during the bad day.
        let warm = plan.readers.enumerated().filter { $0.offset.isMultiple(of: 2) }.map(\.element)
        let cold = plan.readers.enumerated().filter { !$0.offset.isMultiple(of: 2) }.map(\.element)
        var known: [DrillReader] = []
        var problem = "none of the readers given is recognised"
        for fields in warm {
            do {
                if let reader = try await DrillReader(fields, edition: plan.edition, proxy) { known.append(reader) }
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
                DrillReport.Phase(name: name, answers: tally.answers, asked: load.asked, mostAtOnce: load.most))
        }
        return report
    }

    /// Nobody follows the catalogue in a drill: what a server remembered is as good as new, and where there is nothing its source
    /// is asked once.
    private func awaitCatalogue() async throws {
        guard catalogue.current.value.isAwaited else { return }
        await catalogue.follow()
        try Task.checkCancellation()
        guard catalogue.current.value.isAwaited else { return }
        throw Failure.noCatalogue(plan.publication, cause: catalogue.status(at: WallClock.system.now).failure)
    }

    /// Asks at the rate of the plan, without waiting for one answer before the next question, as readers do.
    private func play(_ known: [DrillReader], cold: [[String: String]], _ tally: DrillTally) async throws {
        let proxy = proxy
        try await withThrowingTaskGroup(of: Void.self) { group in
            let begin = ContinuousClock.now
            let count = Int(plan.phase * Double(plan.rate))
            for number in 0..<count {
                try await Task.sleep(until: begin + .seconds(Double(number) / Double(plan.rate)))
                let reader = known[number / 5 % known.count]
                switch number % 5 {
                case 0 where !cold.isEmpty:
                    let fields = cold[number / 5 % cold.count]
                    group.addTask { await DrillReader.signInAnew(fields, proxy, tally) }
                case 0, 1: group.addTask { await reader.signIn(proxy, tally) }
                case 2: group.addTask { await reader.credentials(proxy, tally) }
                default: group.addTask { await reader.verify(proxy, tally) }
                }
            }
            try await group.waitForAll()
        }
    }
}

/// Hands out the wrapped backend that opening makes.
private final class Interposed: Sendable {
    private let content = Mutex<FaultyBackend?>(nil)

    var backend: FaultyBackend? { content.withLock { $0 } }

    func wrap(_ backend: any SubscriberBackend, random: RandomSource) -> any SubscriberBackend {
        let faulty = FaultyBackend(backend, random: random)
        content.withLock { $0 = faulty }
        return faulty
    }
}
