import ContentGate
import Foundation
import FrontDoors
import Hummingbird
import HummingbirdCore
import HummingbirdTesting
import Logging
import NIOCore
import Primitives
import Synchronization
import TestSupport

@testable import Server

/// A server like the main listener without TLS, with one free edition of random bytes.
struct ContentServerHarness: Sendable {
    let http: RawHTTP
    /// The file of the edition.
    let file: URL
    let content: [UInt8]
    /// The number of bytes sent by the system from files.
    let sent: Counter

    static let target = "/content/daily/free.zip"

    final class Counter: Sendable {
        private let bytes = Mutex(0)
        var value: Int { bytes.withLock { $0 } }
        func add(_ more: Int) { bytes.withLock { $0 += more } }
    }

    /// Returns the request with these header lines.
    static func get(of target: String = target, method: String = "GET", _ lines: String...) -> String {
        (["\(method) \(target) HTTP/1.1", "Host: a"] + lines + ["", ""]).joined(separator: "\r\n")
    }

    /// The number of open descriptors of the file in this process.
    var descriptors: Int {
        let all = (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd")) ?? []
        return all.filter {
            (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/fd/" + $0)) == file.path
        }.count
    }
}

/// - Parameter stallTimeout: The time after which a stalled connection is closed.
func withContentServerHarness(
    bytes: Int, stallTimeout: TimeAmount = GatefoldServer.stallTimeout,
    _ body: @escaping @Sendable (ContentServerHarness) async throws -> Void
) async throws {
    try await withTemporaryFolder { folder in
        var random = SeededRandom(seed: UInt64(bytes))
        // The length is not a divisor or multiple of any chunk or region size, so no chunk can replace another.
        let block = random.bytes(65_537)
        var content: [UInt8] = []
        while content.count < bytes { content += block.prefix(bytes - content.count) }
        let file = folder.appendingPathComponent("free.zip")
        try Data(content).write(to: file)
        let configuration = """
            \(ConfigurationTests.minimal)
                default: true
                content: {root: \(folder.path)}
                catalogue:
                  - {id: free, published: 2026-01-02, free: true}
            """
        try await withParts(configuration) { [content] parts, configuration in
            let publications = ReloadableSnapshot(try parts.assemble(configuration))
            let sent = ContentServerHarness.Counter()
            let router = MainRouter(publications: publications, clock: .system, readiness: { .ready })
            let responder = RequestResponder(
                router.buildResponder(), logger: Logger(label: "test") { _ in SwiftLogNoOpLogHandler() })
            let application = Application(
                router: router,
                server: HTTPServerBuilder { _ in
                    CountingChannel(
                        wrapped: GatefoldServer.plain(responder, stallTimeout: stallTimeout), sent: sent)
                })
            try await application.test(.live) { client in
                try await body(
                    ContentServerHarness(
                        http: RawHTTP(port: client.port ?? 0), file: file, content: content, sent: sent))
            }
        }
    }
}

/// Counts the bytes that reach the socket as file regions.
private struct CountingChannel<Wrapped: ServerChildChannel>: ServerChildChannel {
    let wrapped: Wrapped
    let sent: ContentServerHarness.Counter

    final class Handler: ChannelOutboundHandler {
        typealias OutboundIn = IOData
        typealias OutboundOut = IOData
        let sent: ContentServerHarness.Counter

        init(_ sent: ContentServerHarness.Counter) { self.sent = sent }

        func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
            if case .fileRegion(let region) = unwrapOutboundIn(data) { sent.add(region.readableBytes) }
            context.write(data, promise: promise)
        }
    }

    func setup(channel: any Channel, logger: Logger) -> EventLoopFuture<Wrapped.Value> {
        channel.eventLoop.makeCompletedFuture {
            try channel.pipeline.syncOperations.addHandler(Handler(sent))
        }.flatMap { wrapped.setup(channel: channel, logger: logger) }
    }

    func handle(value: Wrapped.Value, logger: Logger) async {
        await wrapped.handle(value: value, logger: logger)
    }
}
