import NIOCore
import NIOPosix
import Testing

@testable import Conformance

@Suite("Fake server")
struct FakeServerTests {
    @Test("survives clients that connect while it shuts down")
    func late() async throws {
        for _ in 0..<20 {
            let clients = try await FakePublisherServer().serve { port in
                try await withThrowingTaskGroup(of: (any Channel).self) { group in
                    for _ in 0..<20 {
                        group.addTask {
                            try await ClientBootstrap(group: .singletonMultiThreadedEventLoopGroup)
                                .connect(host: "127.0.0.1", port: port).get()
                        }
                    }
                    return try await group.reduce(into: []) { $0.append($1) }
                }
            }
            for client in clients { client.close(promise: nil) }
        }
    }
}
