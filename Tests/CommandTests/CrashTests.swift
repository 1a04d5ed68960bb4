import Foundation
import GRDB
import Synchronization
import TestSupport
import Testing

@Suite("Killed at the worst moment", .serialized)
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

    /// Writes all of a text into a pipe; returns when all but the last 64 KiB are read, with the pipe open.
    ///
    /// No call of it waits: the other end may be gone, and tasks have few threads.
    private func feed(_ text: String, into pipe: String, to importing: ServerProcess) async throws -> FileHandle {
        // For reading, too, so that it can be opened and written to whether or not there is another end.
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
        "an all-or-nothing import that is killed changed nothing, and the next one brings everything",
        .timeLimit(.minutes(5)))
    func allOrNothing() async throws {
        try await withSample { sample in
            let before = try await count(sample.database("house"), "SELECT count(*) FROM subscriber")
            // A pipe that does not end: the import can not have come to its end when it is killed.
            try #require(mkfifo(sample.path("endless.csv"), 0o600) == 0)
            let launch = ServerProcess.Launch(
                GatefoldProgram.path, ["subscribers", "import", "endless.csv", "-b", "house"], in: sample.folder,
                until: .file(sample.folder.appendingPathComponent("endless.csv")))
            try await withServer(launch) { importing in
                let text = Self.header + (0..<Self.rows).map(Self.row).joined()
                // The rows are then in an open transaction.
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

    @Test("a resumable import that is killed goes on where it was, and every row is there once")
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
                // After the first batch is acknowledged.
                try await eventually("the import is under way", within: .seconds(300)) {
                    try await count(database, "SELECT count(*) FROM subscriber") >= before + 10_000
                }
                importing.send(SIGKILL)
                _ = await importing.end()
            }
            #expect(try await integrity(database) == "ok")
            let kept = try await count(database, "SELECT count(*) FROM subscriber") - before
            let report = try JSONDecoder().decode(Report.self, from: Data(try await sample.succeed(command).utf8))
            #expect(try await integrity(database) == "ok")
            #expect(try await count(database, "SELECT count(*) FROM subscriber") == before + Self.rows)
            #expect(
                try await count(database, "SELECT count(*) FROM edition WHERE edition = '\(Sample.second)'")
                    == Self.rows + 1)
            if kept < Self.rows {
                #expect(report.resumedAfter == kept)
                #expect(report.added == Self.rows - kept)
                #expect(report.replaced == 0)
            }
        }
    }

    /// What the server acknowledged before it was killed.
    private final class Acknowledged: Sendable {
        struct Lists {
            var signedOut: [String] = []
            var registered: [(token: String, device: String)] = []
            var count: Int { signedOut.count + registered.count }
        }
        let lists = Mutex(Lists())
    }

    @Test("after a kill amid sign-ins and sign-outs, every acknowledged one still holds")
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
            // Those of sign-ins whose answer was cut off may be there, too.
            #expect(rows >= lists.registered.count)
            #expect(rows <= lists.registered.count + 8)
        }
    }

    /// One reader signs in with a device and stays, another signs in and out. False when the server is gone.
    private func storm(_ sample: Sample, _ worker: Int, _ round: Int, _ acknowledged: Acknowledged) async -> Bool {
        do {
            // Six readers of each worker, with three devices each, which is what a reader may have.
            guard round <= 18 else { return false }
            let staying = Sample.Reader(number: 1 + worker * 6 + (round - 1) / 3)
            let device = "device-\(worker)-\(round)"
            let leaving = try await sample.signIn(Sample.Reader(number: Sample.Reader.most - worker))
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
