import Foundation
import Gatefold
import Logging
import Primitives
import Resilience
import State
import TestSupport
import Testing

@testable import Server

@Suite("Audit log of flushes") struct FlushAuditTests {
    private static let key = PseudonymKey(Secret("vS3nq0sYb2uT7kDx"))

    /// A log in memory, which may fail.
    private actor Log: AuditLog {
        private(set) var entries: [AuditEntry] = []
        private let error: (any Error)?

        init(failing error: (any Error)? = nil) { self.error = error }

        func append(_ record: AuditRecord, to chain: AuditChain) throws -> AuditEntry {
            if let error { throw error }
            let entry = try chain.entry(record, after: entries.last?.head, at: Date(timeIntervalSince1970: 0))
            entries.append(entry)
            return entry
        }

        func page(_ query: AuditQuery) -> [AuditEntry] { entries }
        func head() -> AuditHead? { entries.last?.head }
    }

    private static func trail(_ log: Log) -> AuditTrail {
        AuditTrail(log, AuditChain(key), by: AuditActor(.commandLineUser, name: "ada@desk")) { _ in }
    }

    private static func audit(_ lines: Locked<[String]> = Locked([])) -> FlushAudit {
        let logger = Logger(label: "flush") { label in
            LineLogHandler(label: label, level: .error, format: .text) { line in lines.withLock { $0.append(line) } }
        }
        return FlushAudit(pseudonymKey: key, logger: logger)
    }

    @Test(
        "A flush is made also while the state is unavailable, and its cause and user are an error in the server's log",
        arguments: [
            StateStoreError.unavailable(reason: "planted cause"), .unreachable(reason: "planted cause"),
        ])
    func outage(error: StateStoreError) async throws {
        let lines = Locked<[String]>([])
        let flushed = try await Self.audit(lines).flushing(.all, of: ["legacy"], Self.trail(Log(failing: error))) {
            (removed: 3, remaining: 0)
        }
        #expect(flushed?.removed == 3)
        let line = lines.withLock { $0.joined() }
        for part in ["Flush is not in the audit log", "planted cause", "ada@desk"] {
            #expect(line.contains(part), "\(line)")
        }
    }

    @Test("No other error lets a flush be made without an entry: not a disconnected client, and not a damaged log")
    func others() async {
        for error in [CancellationError(), AuditLogError.missingTable] as [any Error] {
            let flushes = Locked(0)
            await #expect(throws: (any Error).self) {
                try await Self.audit().flushing(.all, of: ["legacy"], Self.trail(Log(failing: error))) {
                    flushes.withLock { $0 += 1 }
                    return (removed: 3, remaining: 0)
                }
            }
            #expect(flushes.withLock { $0 } == 0, "\(error)")
        }
    }

    @Test("A flush by key is recorded for the reader of each backend that may have authenticated them")
    func members() async throws {
        let log = Log()
        _ = try await Self.audit().flushing(.key("17"), of: ["chain", "a", "b"], Self.trail(log)) {
            (removed: 1, remaining: 0)
        }
        let subjects: [String?] = ["chain", "a", "b"].map { backend in
            "subscriber:\(Self.key.reference(to: Subscriber(backend: backend, key: "17")))"
        }
        #expect(await log.entries.map(\.subject) == subjects + subjects)
        #expect(await log.entries.allSatisfy { $0.details.contains("backend=chain\n") && $0.actorKind == "command" })
    }
}
