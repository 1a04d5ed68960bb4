import NIOCore
import NIOEmbedded
import Testing

@testable import ContentGate

@Suite("Detection of file sending")
struct FileSenderTests {
    private func connected() async throws -> NIOAsyncTestingChannel {
        let channel = NIOAsyncTestingChannel()
        try await channel.connect(to: SocketAddress(ipAddress: "192.0.2.1", port: 1)).get()
        return channel
    }

    @Test("A connection reports in advance whether it can send files")
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

    @Test("A cancelled task can query it, and the connection continues")
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
