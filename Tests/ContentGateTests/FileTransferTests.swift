import Foundation
import Glibc
import NIOCore
import NIOHTTP1
import NIOPosix
import Synchronization
import TestSupport
import Testing

@testable import ContentGate

@Suite("File transfers")
struct FileTransferTests {
    private static let length = 256 << 20

    @Test("leave the event loop time for other connections, even if the disk is faster than the client")
    func fairness() async throws {
        try await withTemporaryFolder { try await fairness(in: $0.path) }
    }

    private func fairness(in folder: String) async throws {
        let path = folder + "/large"
        try Data(count: Self.length).write(to: URL(fileURLWithPath: path))
        // Only pages that are on the disk can be dropped from memory.
        try #require(FileHandle(forUpdatingAtPath: path)).synchronize()
        let file = try OpenFile.open(["large"], below: folder)
        let group = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let clients = MultiThreadedEventLoopGroup(numberOfThreads: 1)
        let regions = Atomic(0)
        // The number of regions sent when each connection was accepted.
        let (accepted, notify) = AsyncStream.makeStream(of: (any Channel, Int).self)
        let server = try await ServerBootstrap(group: group)
            .childChannelInitializer { channel in
                notify.yield((channel, regions.load(ordering: .relaxed)))
                return channel.eventLoop.makeSucceededVoidFuture()
            }
            .bind(host: "127.0.0.1", port: 0).get()
        let address = try #require(server.localAddress)
        var connections = accepted.makeAsyncIterator()
        _ = try await ClientBootstrap(group: clients).connect(to: address).get()
        let (first, _) = try #require(await connections.next())
        let quick = QuickClient(path: path, size: Self.length) {
            if regions.add(1, ordering: .relaxed).newValue == 10 { Self.connectOnly(address) }
        }
        let sent = first.eventLoop.flatSubmit { () -> EventLoopFuture<Void> in
            let handler = FileSendingHandler()
            do {
                try first.pipeline.syncOperations.addHandlers(quick, handler)
            } catch {
                return first.eventLoop.makeFailedFuture(error)
            }
            return handler.send(0..<Int64(Self.length), of: file, reading: .singleton)
        }
        let (_, count) = try #require(await connections.next())
        #expect(count < 13, "accepted after \(count) regions")
        try await sent.get()
        // Twenty regions: of one, two, four and eight megabytes, and then of sixteen.
        #expect(regions.load(ordering: .relaxed) > 18)
        try await group.shutdownGracefully()
        try await clients.shutdownGracefully()
    }

    /// Connects without waiting for the server to accept.
    private static func connectOnly(_ address: SocketAddress) {
        let client = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
        let status = address.withSockAddr { connect(client, $0, socklen_t($1)) }
        #expect(status == 0)
        Glibc.close(client)
    }
}

/// A client that accepts everything at once, but only after the next region was fetched. At that time the last page of
/// each megabyte of the file is not in memory.
private final class QuickClient: ChannelOutboundHandler, Sendable {
    typealias OutboundIn = HTTPServerResponsePart

    private let path: String
    private let size: Int
    private let takes: @Sendable () -> Void

    init(path: String, size: Int, takes: @escaping @Sendable () -> Void) {
        self.path = path
        self.size = size
        self.takes = takes
    }

    func write(context: ChannelHandlerContext, data: NIOAny, promise: EventLoopPromise<Void>?) {
        evictLastPages()
        takes()
        usleep(20_000)
        promise?.succeed()
    }

    func flush(context: ChannelHandlerContext) {}

    private func evictLastPages() {
        let file = open(path, O_RDONLY)
        for end in stride(from: 1 << 20, through: size, by: 1 << 20) {
            posix_fadvise(file, end - 4_096, 4_096, POSIX_FADV_DONTNEED)
        }
        Glibc.close(file)
    }
}
