import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@Suite("Crash safety", .serialized)
struct CrashTests {
    private static let rows = 50_000

    private static func row(_ number: Int) -> String { "crash-\(number)@example.com,active,\(Sample.second)\n" }
    private static let header = "identifier,state,editions\n"

    private func integrity(_ database: DatabaseQueue) async throws -> String? {
        try await database.read { try String.fetchOne($0, sql: "PRAGMA integrity_check") }
    }

    private func count(_ database: DatabaseQueue, _ sql: String) async throws -> Int {
        try await database.read { try Int.fetchOne($0, sql: sql) ?? -1 }
    }

    /// Writes a text into a pipe. Returns with the pipe open when all but the last 64 KiB have been read.
    ///
    /// No write blocks, because the other end may be gone and tasks have few threads.
    private func feed(_ text: String, into pipe: String, to importing: ServerProcess) async throws -> FileHandle {
        // Opened for reading too, so opening and writing succeed without another end.
        let descriptor = open(pipe, O_RDWR | O_NONBLOCK | O_CLOEXEC)
        try #require(descriptor >= 0)
        let handle = FileHandle(fileDescriptor: descriptor, closeOnDealloc: true)
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
            if count > 0 {
                rest = rest.dropFirst(count)
            } else {
                try #require(importing.isRunning, "\(importing.output)")
                try await Task.sleep(for: .milliseconds(5))
            }
        }
        return handle
    }

    @Test(
        "A killed all-or-nothing import changes nothing, and the next one imports everything",
        .timeLimit(.minutes(5)))
    func allOrNothing() async throws {
        try await withSample { sample in
            let before = try await count(sample.database("house"), "SELECT count(*) FROM subscriber")
            // The pipe does not end, so the import cannot have completed when it is killed.
            try #require(mkfifo(sample.path("endless.csv"), 0o600) == 0)
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["subscribers", "import", "endless.csv", "-b", "house"], in: sample.folder,
                until: .file(sample.folder.appendingPathComponent("endless.csv")))
            try await withServer(launch) { importing in
                let text = Self.header + (0..<Self.rows).map(Self.row).joined()
                // The rows are now in an open transaction.
                let handle = try await feed(text, into: sample.path("endless.csv"), to: importing)
                importing.send(SIGKILL)
                #expect(await importing.end() == -SIGKILL)
                try handle.close()
            }
            let database = try sample.database("house")
            #expect(try await integrity(database) == "ok")
            #expect(try await count(database, "SELECT count(*) FROM subscriber") == before)
            #expect(try await count(database, "SELECT count(*) FROM edition") == 1)

            try sample.write("whole.csv", Self.header + (0..<Self.rows).map(Self.row).joined())
            try await sample.succeed(["subscribers", "import", "whole.csv", "-b", "house"])
            #expect(try await count(database, "SELECT count(*) FROM subscriber") == before + Self.rows)
        }
    }

    @Test("A killed resumable import resumes where it stopped, and every row is imported once")
    func resumable() async throws {
        struct Report: Decodable {
            let rows, added, replaced, resumedAfter: Int
        }
        try await withSample { sample in
            let database = try sample.database("house")
            let before = try await count(database, "SELECT count(*) FROM subscriber")
            try sample.write("large.csv", Self.header + (0..<Self.rows).map(Self.row).joined())
            let command = ["subscribers", "import", "large.csv", "-b", "house", "--resumable", "--json"]
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, command, in: sample.folder,
                until: .file(sample.folder.appendingPathComponent("large.csv")))
            try await withServer(launch) { importing in
                // After the first batch was acknowledged.
                try await eventually("the import is in progress", within: .seconds(300)) {
                    try await count(database, "SELECT count(*) FROM subscriber") >= before + 10_000
                }
                importing.send(SIGKILL)
                _ = await importing.end()
            }
            #expect(try await integrity(database) == "ok")
            let stored = try await count(database, "SELECT count(*) FROM subscriber") - before
            let report = try JSONDecoder().decode(Report.self, from: Data(try await sample.succeed(command).utf8))
            #expect(try await integrity(database) == "ok")
            #expect(try await count(database, "SELECT count(*) FROM subscriber") == before + Self.rows)
            #expect(
                try await count(database, "SELECT count(*) FROM edition WHERE edition = '\(Sample.second)'")
                    == Self.rows + 1)
            if stored < Self.rows {
                #expect(report.resumedAfter == stored)
                #expect(report.added == Self.rows - stored)
                #expect(report.replaced == 0)
            }
        }
    }

    /// The operations that the server acknowledged before it was killed.
    private final class Acknowledged: Sendable {
        struct Lists {
            var signedOut: [String] = []
            var registered: [(token: String, device: String)] = []
            var count: Int { signedOut.count + registered.count }
        }
        let lists = Mutex(Lists())
    }

    @Test("After a kill during sign-ins and sign-outs, every acknowledged one holds")
    func acknowledged() async throws {
        try await withSample { sample in
            let acknowledged = Acknowledged()
            try await withServer(sample.launch) { server in
                await withTaskGroup(of: Void.self) { group in
                    for worker in 0..<8 {
                        group.addTask {
                            var round = 0
                            while true {
                                round += 1
                                guard
                                    await storm(sample, worker, round, acknowledged),
                                    acknowledged.lists.withLock(\.count) < 80
                                else { break }
                            }
                            server.send(SIGKILL)
                        }
                    }
                }
                #expect(await server.end() == -SIGKILL)
            }
            let lists = acknowledged.lists.withLock { $0 }
            #expect(lists.count >= 80)
            #expect(lists.signedOut.count > 10 && lists.registered.count > 10)
            #expect(try await integrity(sample.database("state")) == "ok")
            try await withServer(sample.launch) { _ in
                for token in lists.signedOut {
                    let state = try await sample.state(of: token)
                    #expect(state == "unknown")
                    #expect(try await sample.call("renew", ["token": token]).error == "notrecognised")
                }
                for (token, _) in lists.registered { #expect(try await sample.state(of: token) == "active") }
            }
            let rows = try await count(sample.database("state"), "SELECT count(*) FROM device")
            // Sign-ins whose response was lost may have a device too.
            #expect(rows >= lists.registered.count)
            #expect(rows <= lists.registered.count + 8)
        }
    }

    /// Signs one reader in with a device, and another one in and out. Returns false when the server is gone.
    private func storm(_ sample: Sample, _ worker: Int, _ round: Int, _ acknowledged: Acknowledged) async -> Bool {
        do {
            // Six readers per worker with three devices each, which is the device limit.
            guard round <= 18 else { return false }
            let staying = Sample.Reader(number: 1 + worker * 6 + (round - 1) / 3)
            let device = "device-\(worker)-\(round)"
            let leaving = try await sample.signIn(Sample.Reader(number: Sample.Reader.highestNumber - worker))
            guard try await sample.call("sign_out", ["token": leaving]).status == 200 else { return false }
            acknowledged.lists.withLock { $0.signedOut.append(leaving) }
            let token = try await sample.signIn(staying, device: device)
            acknowledged.lists.withLock { $0.registered.append((token, device)) }
            return true
        } catch {
            return false
        }
    }
}
