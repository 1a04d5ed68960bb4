import Foundation
import Gatefold
import Logging
import Primitives
import Resilience
import TestSupport
import Testing

@testable import Server

@Suite("Audit log of flushes") struct FlushAuditTests {
    private static let key = PseudonymKey(Secret("vS3nq0sYb2uT7kDx"))

    /// A log in memory; one without room fails.
    private actor Log: AuditLog {
        private(set) var entries: [AuditEntry] = []
        private let room: Int

        init(room: Int = .max) { self.room = room }

        func append(_ record: AuditRecord, to chain: AuditChain) throws -> AuditEntry {
            guard entries.count < room else { throw CancellationError() }
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

    @Test("A flush is made also if the log cannot be written, and its cause is an error in the server's log")
    func outage() async {
        let lines = Locked<[String]>([])
        let flushed = await Self.audit(lines).flushing(.all, of: ["legacy"], Self.trail(Log(room: 0))) {
            (removed: 3, remaining: 0)
        }
        #expect(flushed?.removed == 3)
        let line = lines.withLock { $0.joined() }
        #expect(line.contains("Flush is not in the audit log") && line.contains("CancellationError"), "\(line)")
    }

    @Test("A flush by key is recorded for the reader of each backend that may have authenticated them")
    func members() async {
        let log = Log()
        _ = await Self.audit().flushing(.key("17"), of: ["chain", "a", "b"], Self.trail(log)) {
            (removed: 1, remaining: 0)
        }
        let subjects: [String?] = ["chain", "a", "b"].map { backend in
            "subscriber:\(Self.key.reference(to: Subscriber(backend: backend, key: "17")))"
        }
        #expect(await log.entries.map(\.subject) == subjects + subjects)
        #expect(await log.entries.allSatisfy { $0.details.contains("backend=chain\n") && $0.actorKind == "command" })
    }
}
