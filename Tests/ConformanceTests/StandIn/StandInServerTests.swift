import NIOCore
import NIOPosix
import Testing

@testable import Conformance

@Suite("The stand-in")
struct StandInServerTests {
    @Test("outlives clients that come as it goes")
    func late() async throws {
        for _ in 0..<20 {
            let clients = try await StandIn().serve { port in
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
