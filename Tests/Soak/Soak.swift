import BackendFixtures
import Foundation
import TestSupport

/// Sets a soak up, runs it and reports the result.
enum Soak {
    /// The shared context of all parts of a soak.
    struct SoakContext: Sendable {
        let plan: SoakPlan
        let system: PublisherSystem
        let server: ServerProcess
        let http: RawHTTP
        let folder: URL
        let secrets: [String: String]
        /// The random readers.
        let readers: [SoakReader]
        let fixedReaders: FixedReaders
        let faultWindows = FaultWindows()
        let stopFlag = StopFlag()
        let documents = PublicDocuments()
        let tally = SoakTally()
        /// Writes the configuration with this value in it.
        let configure: @Sendable (Int) throws -> Void

        var everybody: [SoakReader] { readers + fixedReaders.all }
    }

    /// An error for a failed step of the environment.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter log: Receives progress messages for a terminal.
    static func run(_ plan: SoakPlan, log: @escaping @Sendable (String) -> Void) async throws -> SoakReport {
        let stored = Locked<SoakReport?>(nil)
        let readers = (0..<plan.readers).map { SoakReader($0) }
        let fixedReaders = FixedReaders()
        try await PublisherSystem.run(readers: (readers + fixedReaders.all).map(\.number)) { system in
            try await withTemporaryFolder { folder in
                let report = try await serve(plan, system, readers, fixedReaders, in: folder, log)
                stored.withLock { $0 = report }
            }
        }
        guard let report = stored.withLock({ $0 }) else { throw CancellationError() }
        return report
    }

    private static func serve(
        _ plan: SoakPlan, _ system: PublisherSystem, _ readers: [SoakReader], _ fixedReaders: FixedReaders,
        in folder: URL,
        _ log: @escaping @Sendable (String) -> Void
    ) async throws -> SoakReport {
        let content = folder.appending(path: "editions")
        try FileManager.default.createDirectory(at: content, withIntermediateDirectories: true)
        _ = try EditionStore(in: content, editions: SoakPlan.editions)
        try Data(EditionStore.bytes(of: SoakPlan.feedFile)).write(to: content.appending(path: SoakPlan.feedFile))
        let (port, adminPort) = (try FreePort.find(), try FreePort.find())
        let settings = system.fixture.settings
        let configure: @Sendable (Int) throws -> Void = { record in
            try Data(
                SoakPlan.configuration(
                    port: port, adminPort: adminPort, root: content.path, backend: settings, record: record
                ).utf8
            ).write(to: folder.appending(path: "gatefold.yaml"))
        }
        try configure(0)
        var secrets = ["SOAK_PSEUDONYMS": "vS3nq0sYb2uT7kDx"]
        for (number, title) in SoakPlan.titles.enumerated() {
            secrets["SOAK_\(title.id.uppercased())"] = SoakPlan.secret(number)
        }
        let launch = ServerProcess.Launch(
            GatefoldProgram.path, ["serve"], environment: system.fixture.environment.merging(secrets) { $1 },
            in: folder,
            until: .port(port))
        return try await withServer(launch) { server in
            let context = SoakContext(
                plan: plan, system: system, server: server, http: RawHTTP(port: port),
                folder: folder, secrets: system.fixture.environment.merging(secrets) { $1 }, readers: readers,
                fixedReaders: fixedReaders, configure: configure)
            return await live(context, log)
        }
    }

    private static func live(_ context: SoakContext, _ log: @escaping @Sendable (String) -> Void) async -> SoakReport {
        let begin = ContinuousClock.now
        let deadline = begin + context.plan.duration
        let warm = Locked<ServerFootprint?>(nil)
        let contradiction = await withTaskGroup(of: String?.self) { group in
            for reader in context.readers {
                for app in 0..<2 { group.addTask { await SoakApp(reader, app, context).live() } }
            }
            group.addTask { await SoakDriver(context, log).runScenario(until: deadline) }
            group.addTask {
                // All one-time allocations are complete by then. No soak is shorter.
                try? await Task.sleep(for: .seconds(20))
                warm.withLock { $0 = ServerFootprint(of: context.server.identifier) }
                return nil
            }
            for await problem in group {
                guard let problem else { continue }
                group.cancelAll()
                return problem as String?
            }
            return nil
        }
        let end = await settled(context, since: warm.withLock { $0 })
        return SoakReport(
            plan: context.plan, seconds: (ContinuousClock.now - begin) / .seconds(1), lines: context.tally.lines,
            labels: context.tally.labels, late: context.tally.late, faultFreeCount: context.tally.faultFreeCount,
            start: warm.withLock { $0 },
            end: end, contradiction: contradiction,
            serverOutput: contradiction == nil ? "" : String(context.server.output.suffix(4_000)))
    }

    /// Returns the server's resources after the last connections have ended, within 30 seconds.
    private static func settled(_ context: SoakContext, since start: ServerFootprint?) async -> ServerFootprint? {
        for _ in 0..<10 {
            try? await Task.sleep(for: .seconds(3))
            let now = ServerFootprint(of: context.server.identifier)
            guard let now, let start, !Task.isCancelled,
                now.descriptors > start.descriptors + SoakReport.descriptorTolerance
            else { return now }
        }
        return ServerFootprint(of: context.server.identifier)
    }
}
