import NIOCore
import NIOPosix
import Synchronization
import Testing

@testable import ContentGate

@Suite("Yielding of an event loop")
struct EventLoopYieldTests {
    /// Occupies the loop, like downloads to a fast client, until the flag is set.
    private static func occupy(_ loop: any EventLoop, until isOver: Flag) {
        let end = ContinuousClock.now + .microseconds(300)
        while ContinuousClock.now < end {}
        EventLoopYield.next(on: loop).whenSuccess {
            if !isOver.isSet.load(ordering: .relaxed) { occupy(loop, until: isOver) }
        }
    }

    private final class Flag: Sendable {
        let isSet = Atomic(false)
    }

    @Test(
        "lets the loop serve other connections among many busy tasks", .timeLimit(.minutes(5)),
        arguments: 1...4)
    func fairness(count: Int) async throws {
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let clients = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let (accepted, notify) = AsyncStream.makeStream(of: Void.self)
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                notify.yield()
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let isOver = Flag()
        for _ in 0..<count { group.next().execute { Self.occupy(group.next(), until: isOver) } }
        let client = try await ClientBootstrap(group: clients)
            .connect(to: #require(server.localAddress)).get()
        for await _ in accepted { break }
        isOver.isSet.store(true, ordering: .relaxed)
        try await client.close()
        try await server.close()
        try await group.shutdownGracefully()
        try await clients.shutdownGracefully()
    }
}
