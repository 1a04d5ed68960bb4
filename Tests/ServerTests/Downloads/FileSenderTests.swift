import NIOCore
import NIOEmbedded
import Testing

@testable import ContentGate

@Suite("Whether a connection sends files")
struct FileSenderTests {
    private func connected() async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
        return channel
    }

    @Test("is known before anything is done for it")
    func known() async throws {
        let channel = try await connected()
        let sender = FileSender(channel)
        let before = await sender.canSend()
        #expect(!before)
        try await channel.eventLoop.submit {
            try channel.pipeline.syncOperations.addHandler(FileSendingHandler())
        }.get()
        let after = await sender.canSend()
        #expect(after)
    }

    @Test("may be asked by who was cancelled, and the connection goes on")
    func cancelled() async throws {
        let channel = try await connected()
        let sender = FileSender(channel)
        let isAble = await Task {
            withUnsafeCurrentTask { $0?.cancel() }
            return await sender.canSend()
        }.value
        #expect(!isAble)
        #expect(channel.isActive)
    }
}
