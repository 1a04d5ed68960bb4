import Foundation
public import Gatefold
import Synchronization
import TestSupport

/// A program in Python that reads its subscribers from a file for every query.
public struct ProcessFixture: BackendFixture {
    public static let name = "process"
    public static let outages: [Outage] = [.stopped, .paused, .error, .garbage, .reset]

    private let folder: URL
    private let readers: Readers

    public static func run(_ body: (ProcessFixture) async throws -> Void) async throws {
        try await run(StandardReaders.all, body)
    }

    static func run(_ readers: [StandardReader], _ body: (ProcessFixture) async throws -> Void) async throws {
        try await withTemporaryFolder { folder in
            let fixture = ProcessFixture(folder: folder, readers: Readers(readers))
            try fixture.write()
            try fixture.writeProgram()
            try await body(fixture)
        }
    }

    public var settings: String {
        """
        kind: process
        command: [/usr/bin/python3, program.py]
        folder: \(folder.path)
        timeout: 5s
        restart: {min_delay: 1s, max_delay: 1s}
        subscription:
          editions: {from: editions}
          all_editions: {from: everything}
        """
    }

    public func set(_ state: SubscriptionState, of reader: StandardReader) async throws {
        readers.change(reader) { $0["state"] = state.rawValue }
        try write()
    }

    public func setPassword(_ password: String, of reader: StandardReader) async throws {
        readers.change(reader) { $0["password"] = password }
        try write()
    }

    public func fail(_ outage: Outage) async throws {
        guard outage == .stopped else { return try write(outage.rawValue, to: "mode") }
        try FileManager.default.removeItem(at: folder.appending(path: "program.py"))
        for child in try FileManager.default.contentsOfDirectory(atPath: folder.path) {
            if child.hasPrefix("child-"), let identifier = Int32(child.dropFirst(6)) { kill(identifier, SIGKILL) }
        }
    }

    public func recover() async throws {
        try? FileManager.default.removeItem(at: folder.appending(path: "mode"))
        try writeProgram()
    }

    private func write() throws {
        try write(readers.json, to: "readers.json")
    }

    private func writeProgram() throws {
        try write(Self.program, to: "program.py")
    }

    /// Writes atomically, because the program may be reading.
    private func write(_ text: String, to name: String) throws {
        try Data(text.utf8).write(to: folder.appending(path: name), options: .atomic)
    }

    private static let program = #"""
        import atexit, json, os, signal, sys

        mark = f"child-{os.getpid()}"
        open(mark, "w").close()
        atexit.register(os.remove, mark)

        for line in sys.stdin:
            mode = open("mode").read() if os.path.exists("mode") else ""
            if mode == "paused":
                os.kill(os.getpid(), signal.SIGSTOP)
            if mode == "reset":
                sys.stdout.write('{"id":')
                sys.exit(1)
            request = json.loads(line)
            response = {"id": request["id"]}
            readers = json.load(open("readers.json"))
            if mode == "error":
                response["error"] = "the table is gone"
            elif request["query"] == "authenticate":
                reader = readers.get(request["identifier"])
                password = request["credentials"].get("password")
                response["authenticated"] = reader is not None and password == reader["password"]
                response["key"] = request["identifier"] or None
            elif request["query"] == "subscription":
                response["record"] = readers.get(request["key"])
            text = json.dumps(response)
            print("<html>" + text if mode == "garbage" else text, flush=True)
        """#

    /// The contents of the program's file.
    private final class Readers: Sendable {
        private let readers: Mutex<[String: [String: any Sendable]]>

        init(_ readers: [StandardReader]) {
            var all: [String: [String: any Sendable]] = [:]
            for reader in readers {
                all[reader.email] = [
                    "password": reader.password, "state": reader.state.rawValue, "editions": reader.editions ?? [],
                    "everything": reader.editions == nil,
                ]
            }
            self.readers = Mutex(all)
        }

        func change(_ reader: StandardReader, _ body: (inout [String: any Sendable]) -> Void) {
            readers.withLock { readers in
                if var fields = readers[reader.email] {
                    body(&fields)
                    readers[reader.email] = fields
                }
            }
        }

        var json: String {
            let all = readers.withLock { $0 }
            let data = try? JSONSerialization.data(withJSONObject: all)
            return String(decoding: data ?? Data(), as: UTF8.self)
        }
    }
}
