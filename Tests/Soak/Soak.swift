import BackendBenches
import Foundation
import Gatefold
import TestSupport

/// Sets everything up, lets it run, and says what came of it.
enum Soak {
    /// What all parts of a soak share.
    struct Scene: Sendable {
        let plan: SoakPlan
        let system: PublisherSystem
        let server: ServerProcess
        let http: RawHTTP
        let admin: RawHTTP
        let folder: URL
        let secrets: [String: String]
        /// The crowd.
        let readers: [SoakReader]
        let guests: Guests
        let badDays = BadDays()
        let curtain = Curtain()
        let documents = PublicDocuments()
        let tally = SoakTally()
        /// Writes the configuration anew, with this note in it.
        let configure: @Sendable (Int) throws -> Void

        var everybody: [SoakReader] { readers + guests.all }
    }

    /// What was to be done on the stage could not be done.
    struct Failed: Error, CustomStringConvertible {
        let description: String
    }

    /// - Parameter say: told what happens, for a terminal.
    static func run(_ plan: SoakPlan, say: @escaping @Sendable (String) -> Void) async throws -> SoakReport {
        let kept = Kept<SoakReport?>(nil)
        let readers = (0..<plan.readers).map { SoakReader($0) }
        let guests = Guests()
        try await PublisherSystem.run(readers: (readers + guests.all).map(\.number)) { system in
            try await withTemporaryFolder { folder in
                let report = try await serve(plan, system, readers, guests, in: folder, say)
                kept.withLock { $0 = report }
            }
        }
        guard let report = kept.withLock({ $0 }) else { throw CancellationError() }
        return report
    }

    private static func serve(
        _ plan: SoakPlan, _ system: PublisherSystem, _ readers: [SoakReader], _ guests: Guests, in folder: URL,
        _ say: @escaping @Sendable (String) -> Void
    ) async throws -> SoakReport {
        let content = folder.appending(path: "editions")
        try FileManager.default.createDirectory(at: content, withIntermediateDirectories: true)
        _ = try EditionShelf(in: content, editions: SoakPlan.editions)
        try Data(EditionShelf.bytes(of: SoakPlan.feedFile)).write(to: content.appending(path: SoakPlan.feedFile))
        let (port, adminPort) = (try FreePort.find(), try FreePort.find())
        let settings = system.bench.settings
        let configure: @Sendable (Int) throws -> Void = { note in
            try Data(
                SoakPlan.configuration(
                    port: port, adminPort: adminPort, root: content.path, backend: settings, note: note
                ).utf8
            ).write(to: folder.appending(path: "gatefold.yaml"))
        }
        try configure(0)
        var secrets = ["SOAK_REFERENCES": "vS3nq0sYb2uT7kDx"]
        for (number, title) in SoakPlan.titles.enumerated() {
            secrets["SOAK_\(title.id.uppercased())"] = SoakPlan.secret(number)
        }
        let launch = ServerProcess.Launch(
            GatefoldProgram.path, ["serve"], environment: system.bench.environment.merging(secrets) { $1 }, in: folder,
            until: .port(port))
        return try await withServer(launch) { server in
            let scene = Scene(
                plan: plan, system: system, server: server, http: RawHTTP(port: port), admin: RawHTTP(port: adminPort),
                folder: folder, secrets: system.bench.environment.merging(secrets) { $1 }, readers: readers,
                guests: guests, configure: configure)
            return await live(scene, say)
        }
    }

    private static func live(_ scene: Scene, _ say: @escaping @Sendable (String) -> Void) async -> SoakReport {
        let begin = ContinuousClock.now
        let deadline = begin + scene.plan.duration
        let warm = Kept<ServerFootprint?>(nil)
        let contradiction = await withTaskGroup(of: String?.self) { group in
            for reader in scene.readers {
                for app in 0..<2 { group.addTask { await SoakApp(reader, app, scene).live() } }
            }
            group.addTask { await Conductor(scene, say).conduct(until: deadline) }
            group.addTask {
                // What is allocated once is, by then; no soak is over so soon.
                try? await Task.sleep(for: .seconds(20))
                warm.withLock { $0 = ServerFootprint(of: scene.server.identifier) }
                return nil
            }
            for await problem in group {
                guard let problem else { continue }
                group.cancelAll()
                return problem as String?
            }
            return nil
        }
        let end = await settled(scene, since: warm.withLock { $0 })
        return SoakReport(
            plan: scene.plan, seconds: (ContinuousClock.now - begin) / .seconds(1), lines: scene.tally.lines,
            marks: scene.tally.marks, late: scene.tally.late, calm: scene.tally.calm, start: warm.withLock { $0 },
            end: end, contradiction: contradiction,
            serverOutput: contradiction == nil ? "" : String(scene.server.output.suffix(4_000)))
    }

    /// What the server holds once the last connections have ended, for which it has half a minute.
    private static func settled(_ scene: Scene, since start: ServerFootprint?) async -> ServerFootprint? {
        for _ in 0..<10 {
            try? await Task.sleep(for: .seconds(3))
            let now = ServerFootprint(of: scene.server.identifier)
            guard let now, let start, !Task.isCancelled,
                now.descriptors > start.descriptors + SoakReport.spareDescriptors
            else { return now }
        }
        return ServerFootprint(of: scene.server.identifier)
    }
}
