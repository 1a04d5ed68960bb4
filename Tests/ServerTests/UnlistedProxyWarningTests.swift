import Gatefold
import Logging
import Synchronization
import Testing

@testable import Server

@Suite("Warning about unlisted proxies")
struct UnlistedProxyWarningTests {
    private final class Lines: Sendable {
        let all = Mutex<[String]>([])

        var logger: Logger {
            Logger(label: "test") { _ in
                LineLogHandler(label: "test", level: .warning, format: .text) { line in
                    self.all.withLock { $0.append(line) }
                }
            }
        }
    }

    @Test("Logs once what to set, and forged headers of internet clients do not suppress it")
    func once() throws {
        let lines = Lines()
        let warning = UnlistedProxyWarning(logger: lines.logger)
        for _ in 0..<100 {
            warning.record(try #require(ClientAddress("203.0.113.9")))
            warning.record(try #require(ClientAddress("127.0.0.1")))
        }
        let all = lines.all.withLock { $0 }
        #expect(all.count == 2)
        #expect(all.allSatisfy { $0.contains("server.trusted_proxies") })
        #expect(all.contains { $0.contains("127.0.0.1") && $0.contains("all its clients count as one address") })
    }

    @Test(
        "Identifies a loopback listener",
        arguments: [
            ("127.0.0.1", true), ("::1", true), ("localhost", true), ("0.0.0.0", false), ("example.com", false),
        ])
    func loopback(host: String, isLoopback: Bool) {
        #expect(Loopback.contains(host: host) == isLoopback)
    }
}
