import Foundation
import GRDB
import TestSupport
import Testing

@Suite("Power cut", .serialized)
struct PowerCutTests {
    private static let fixture = URL(filePath: #filePath).deletingLastPathComponent()
        .appending(path: "../../Fixtures/PowerCut/synced_files.c").standardizedFileURL.path

    /// A folder and its state after a simulated power cut.
    private struct Disk {
        let folder: URL
        let synced: URL
        let library: URL

        init(in parent: URL) async throws {
            // The library compares paths as the kernel reports them.
            let parent = URL(filePath: try #require(realpath(parent.path, nil).map { String(cString: $0) }))
            folder = parent.appending(path: "kept")
            synced = parent.appending(path: "synced")
            library = parent.appending(path: "synced_files.so")
            for folder in [folder, synced] {
                try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
            }
            let build = try await CommandRun.of(
                "/usr/bin/env",
                ["clang", "-shared", "-fPIC", "-O1", "-Wall", PowerCutTests.fixture, "-o", library.path], in: parent)
            try #require(build.status == 0, "\(build.errors)")
        }

        var environment: [String: String] {
            ["LD_PRELOAD": library.path, "SYNCED_FROM": folder.path, "SYNCED_TO": synced.path]
        }

        /// Copies the state after a power cut at this point. A named file that was never synced is empty.
        func rest(as name: String) throws -> URL {
            let rest = synced.deletingLastPathComponent().appending(path: name)
            try FileManager.default.createDirectory(at: rest, withIntermediateDirectories: false)
            for link in try FileManager.default.contentsOfDirectory(
                at: synced, includingPropertiesForKeys: [.isSymbolicLinkKey])
            where try link.resourceValues(forKeys: [.isSymbolicLinkKey]).isSymbolicLink == true {
                let content = FileManager.default.contents(atPath: link.path) ?? Data()
                try content.write(to: rest.appending(path: link.lastPathComponent))
            }
            return rest
        }
    }

    @Test("Loses no acknowledged sign-out and no acknowledged device")
    func acknowledged() async throws {
        try await withSample(configuration: {
            $0.replacing("path: state/state.sqlite", with: "path: kept/state.sqlite")
        }) { sample in
            // Only files that were created with the library are known to it.
            try sample.removeState(in: "kept")
            let disk = try await Disk(in: sample.folder)
            var launch = sample.launch
            launch.environment = disk.environment
            let rounds = 12
            var ended: [String] = []
            var staying: [String] = []
            try await withServer(launch) { server in
                for round in 1...rounds {
                    let leaving = try await sample.signIn(sample.newReader())
                    staying.append(try await sample.signIn(sample.newReader(), device: "phone \(round)"))
                    #expect(try await sample.call("sign_out", ["token": leaving]).status == 200)
                    ended.append(leaving)
                    let rest = try disk.rest(as: "rest-\(round)")
                    let database = try DatabaseQueue(path: rest.appending(path: "state.sqlite").path)
                    let found = try await database.read { db in
                        (
                            revocations: try Int.fetchOne(db, sql: "SELECT count(*) FROM revocation"),
                            devices: try Int.fetchOne(db, sql: "SELECT count(*) FROM device"),
                            integrity: try String.fetchOne(db, sql: "PRAGMA integrity_check")
                        )
                    }
                    #expect(found.revocations == round && found.devices == round && found.integrity == "ok")
                }
                server.send(SIGKILL)
                _ = await server.end()
            }
            let rest = try disk.rest(as: "rest")
            try FileManager.default.removeItem(at: disk.folder)
            try FileManager.default.moveItem(at: rest, to: disk.folder)
            try await withServer(sample.launch) { _ in
                for (tokens, expected) in [(ended, "unknown"), (staying, "active")] {
                    for token in tokens {
                        let state = try await sample.state(of: token)
                        #expect(state == expected)
                    }
                }
            }
        }
    }

    @Test("Loses what SQLite did not sync", arguments: [("FULL", 1), ("NORMAL", 0)])
    func control(synchronous: String, stored: Int) async throws {
        try await withTemporaryFolder { folder in
            let disk = try await Disk(in: folder)
            let run = try await CommandRun.of(
                "/usr/bin/env", ["sqlite3", disk.folder.appending(path: "control.sqlite").path],
                input: """
                    PRAGMA journal_mode = WAL;
                    CREATE TABLE written (row);
                    PRAGMA wal_checkpoint(TRUNCATE);
                    PRAGMA synchronous = \(synchronous);
                    INSERT INTO written VALUES (1);
                    .shell kill -KILL $PPID

                    """, environment: disk.environment, in: folder)
            #expect(run.status == -SIGKILL, "\(run)")
            let rest = try disk.rest(as: "rest")
            let rows = try await DatabaseQueue(path: rest.appending(path: "control.sqlite").path).read { db in
                try Int.fetchOne(db, sql: "SELECT count(*) FROM written")
            }
            #expect(rows == stored)
        }
    }
}
