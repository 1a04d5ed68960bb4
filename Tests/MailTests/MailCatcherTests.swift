import NIOCore
import NIOPosix
import TestSupport
import Testing

@Suite("Mail server for tests")
struct MailCatcherTests {
    @Test("Detects its listening port next to a hundred other listeners")
    func crowded() async throws {
        var others: [any Channel] = []
        for _ in 0..<100 {
            let bootstrap = ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            others.append(try await bootstrap.bind(host: "127.0.0.1", port: 0).get())
        }
        try await MailCatcher.with { catcher, _ in
            let caught = try catcher.caught()
            #expect(caught.isEmpty)
        }
        for other in others { try await other.close() }
    }
}
