import HTTPTypes
import Hummingbird
import NIOCore
import Testing

@testable import Server

@Suite("Request of an HTTP/2 stream")
struct HTTP2IncomingRequestTests {
    private func head(_ fields: HTTPFields = [:]) -> HTTPRequest {
        HTTPRequest(method: .post, scheme: "https", authority: "a", path: "/a", headerFields: fields)
    }

    private func bytes(_ count: Int) -> ByteBuffer { ByteBuffer(repeating: 0x61, count: count) }

    @Test("Begins when it is complete, has a length, or the first byte of its body has arrived")
    func beginning() {
        #expect(HTTP2IncomingRequest(head(), isComplete: true).canBegin)
        #expect(HTTP2IncomingRequest(head([.contentLength: "3"]), isComplete: false).canBegin)
        var request = HTTP2IncomingRequest(head(), isComplete: false)
        #expect(!request.canBegin)
        request.receive(ByteBuffer())
        #expect(!request.canBegin)
        request.receive(bytes(1))
        #expect(request.canBegin)
        _ = request.begin {}
        #expect(!request.canBegin)
        var empty = HTTP2IncomingRequest(head(), isComplete: false)
        empty.end()
        #expect(empty.canBegin)
    }

    @Test("A body that is here already is one buffer")
    func complete() async throws {
        var request = HTTP2IncomingRequest(head(), isComplete: false)
        request.receive(bytes(2))
        request.receive(bytes(3))
        request.end()
        let body = request.begin { Issue.record("asked for more") }.request.body
        #expect(try await body.collect(upTo: 10) == bytes(5))
    }

    @Test("The window opens for consumed bytes only, half of it at a time")
    func window() async throws {
        let window = HTTP2ReceiveWindow.size
        var request = HTTP2IncomingRequest(head([.contentLength: "900000"]), isComplete: false)
        var body = request.begin {}.request.body.makeAsyncIterator()
        request.receive(bytes(40_000))
        request.windowDidChange(to: window - 40_000)
        #expect(request.takeWindowIncrement() == nil)
        #expect(request.hasUnread)
        #expect(try await body.next()?.readableBytes == 40_000)
        #expect(request.takeWindowIncrement() == 40_000)
        #expect(!request.hasUnread)
        request.windowDidChange(to: window)
        #expect(request.takeWindowIncrement() == nil)
        // Padding counts for the window and is consumed at once.
        request.windowDidChange(to: 10_000)
        #expect(request.takeWindowIncrement() == window - 10_000)
        request.end()
        #expect(request.takeWindowIncrement() == nil)
    }

    @Test("A body without a consumer occupies at most the window")
    func unconsumed() {
        var request = HTTP2IncomingRequest(head([.contentLength: "900000"]), isComplete: false)
        let begun = request.begin {}.request
        var open = HTTP2ReceiveWindow.size
        while open > 0 {
            request.receive(bytes(min(1_000, open)))
            open -= min(1_000, open)
            request.windowDidChange(to: open)
            #expect(request.takeWindowIncrement() == nil)
        }
        // The rest is skipped when the consumer is gone.
        request.abandon()
        #expect(request.takeWindowIncrement() == HTTP2ReceiveWindow.size)
        _ = begun
    }

    @Test("The client is told to continue once, and not after its body has begun")
    func expectation() {
        let expecting: HTTPFields = [.contentLength: "5", .expect: "100-Continue"]
        var request = HTTP2IncomingRequest(head(expecting), isComplete: false)
        _ = request.begin {}
        let times = [request.takeContinue(), request.takeContinue()]
        #expect(times == [true, false])
        var early = HTTP2IncomingRequest(head(expecting), isComplete: false)
        _ = early.begin {}
        early.receive(bytes(5))
        let afterBytes = early.takeContinue()
        #expect(!afterBytes)
        var streamed = HTTP2IncomingRequest(head([.expect: "100-continue"]), isComplete: false)
        // Otherwise both sides would wait for each other.
        #expect(streamed.canBegin)
        _ = streamed.begin {}
        let isContinued = streamed.takeContinue()
        #expect(isContinued)
        var plain = HTTP2IncomingRequest(head([.contentLength: "5"]), isComplete: false)
        _ = plain.begin {}
        let unexpected = plain.takeContinue()
        #expect(!unexpected)
    }
}

@Suite("Body of an HTTP/2 request")
struct HTTP2RequestBodyTests {
    @Test("Small parts are joined until the consumer takes them")
    func joined() async throws {
        let body = HTTP2RequestBody(ByteBuffer(string: "a")) {}
        for part in ["b", "c"] { body.append(ByteBuffer(string: part)) }
        #expect(body.unread == 3)
        body.finish()
        let iterator = body.makeAsyncIterator()
        #expect(try await iterator.next() == ByteBuffer(string: "abc"))
        #expect(try await iterator.next() == nil)
        #expect(body.unread == 0)
    }

    @Test("A waiting consumer receives the next part, the end, or the error")
    func waiting() async throws {
        for end: Result<Void, any Error> in [.success(()), .failure(ChannelError.eof)] {
            let (asked, asking) = AsyncStream<Void>.makeStream()
            let body = HTTP2RequestBody(ByteBuffer()) { asking.yield() }
            let consumer = Task {
                var all = ByteBuffer()
                for try await part in body { all.writeImmutableBuffer(part) }
                return String(buffer: all)
            }
            var iterator = asked.makeAsyncIterator()
            _ = await iterator.next()
            body.append(ByteBuffer(string: "a"))
            body.append(ByteBuffer(string: "b"))
            body.finish(end)
            body.finish()
            if case .success = end {
                #expect(try await consumer.value == "ab")
            } else {
                await #expect(throws: ChannelError.self) { try await consumer.value }
            }
        }
    }

    @Test("A cancelled consumer does not wait")
    func cancelled() async throws {
        let (asked, asking) = AsyncStream<Void>.makeStream()
        let body = HTTP2RequestBody(ByteBuffer()) { asking.yield() }
        let consumer = Task { try await body.makeAsyncIterator().next() }
        var iterator = asked.makeAsyncIterator()
        _ = await iterator.next()
        consumer.cancel()
        await #expect(throws: CancellationError.self) { try await consumer.value }
    }
}
