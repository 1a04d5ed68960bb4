import Foundation
import Hummingbird
import Logging
import Synchronization
import Testing

@testable import Server

@Suite("Log lines")
struct LineLogHandlerTests {
    private final class Lines: Sendable {
        private let all = Mutex<[String]>([])
        var value: [String] { all.withLock { $0 } }
        func add(_ line: String) { all.withLock { $0.append(line) } }
    }

    private func logger(_ format: LineLogHandler.Format, _ lines: Lines) -> Logger {
        Logger(label: "test") { LineLogHandler(label: $0, level: .info, format: format) { lines.add($0) } }
    }

    @Test("JSON format writes one object per line")
    func json() throws {
        let lines = Lines()
        logger(.json, lines).info("signed in", metadata: ["subscriber": "a1", "odd": "x\ny\"z"])
        let object = try JSONSerialization.jsonObject(with: Data(try #require(lines.value.first).utf8))
        let fields = try #require(object as? [String: String])
        #expect(fields["message"] == "signed in")
        #expect(fields["level"] == "info")
        #expect(fields["subscriber"] == "a1")
        #expect(fields["odd"] == "x\ny\"z")
    }

    @Test("Text format writes one line for any value")
    func text() throws {
        let lines = Lines()
        logger(.text, lines).warning("odd", metadata: ["path": "/a\n2026 fake line\u{1B}[2J"])
        let line = try #require(lines.value.first)
        #expect(line.filter { $0 == "\n" }.count == 1)
        #expect(!line.contains("\u{1B}"))
        #expect(line.contains("path=/a\u{FFFD}2026 fake line"))
    }

    @Test("Text format replaces Unicode control and direction characters")
    func unicode() throws {
        let lines = Lines()
        logger(.text, lines).warning("odd", metadata: ["path": "/\u{9B}2J\u{2028}x\u{202E}\u{85}é"])
        #expect(try #require(lines.value.first).contains("path=/\u{FFFD}2J\u{FFFD}x\u{FFFD}\u{FFFD}é"))
    }

    @Test("A line names the request that the task responds to")
    func requestID() throws {
        let lines = Lines()
        let logger = logger(.text, lines)
        let identity = CurrentRequest.Identity(id: RequestID(), logger: logger)
        CurrentRequest.$identity.withValue(identity) { logger.info("signed in") }
        #expect(try #require(lines.value.first).hasSuffix("signed in request=\(identity.id)\n"))
    }

    @Test("Lines below the level are dropped")
    func level() {
        let lines = Lines()
        logger(.json, lines).debug("quiet")
        #expect(lines.value.isEmpty)
    }
}
