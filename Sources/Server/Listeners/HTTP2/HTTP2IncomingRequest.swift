import ContentGate
import HTTPTypes
import Hummingbird
import NIOCore

/// The request of a stream: its head, the part of its body that has arrived, and the window for the rest.
///
/// The window opens as the body is consumed, so a body without a consumer occupies at most one window.
/// Source: Pitfall 24, “Buffered bytes without a total limit”.
struct HTTP2IncomingRequest {
    private enum Phase {
        /// The request waits for the end of the read. If it has neither a length nor `Expect`, it also waits for the first
        /// byte of its body.
        case arriving
        case begun
        /// The response is complete. The rest of the body is skipped.
        case responded
    }

    private let head: HTTPRequest
    private var phase = Phase.arriving
    private var bytes: ByteBuffer?
    private var body: HTTP2RequestBody?
    /// A Boolean value that indicates whether the client may wait for a response before it sends more.
    private let beginsWithHead: Bool
    private var mayContinue = false
    /// A Boolean value that indicates whether the client has ended the request.
    private(set) var isComplete: Bool
    private var window = HTTP2ReceiveWindow()

    init(_ head: HTTPRequest, isComplete: Bool) {
        self.head = head
        self.isComplete = isComplete
        beginsWithHead =
            !isComplete
            && (head.headerFields.contains(.contentLength)
                || head.headerFields.value(of: .expect)?.lowercased() == "100-continue")
    }

    /// A Boolean value that indicates whether the response can begin. It does not wait for the whole body, because a
    /// body may be refused unread.
    var canBegin: Bool {
        phase == .arriving && (isComplete || bytes != nil || beginsWithHead)
    }

    /// A Boolean value that indicates whether the client may be waiting for the consumer of the body.
    var hasUnread: Bool { unread > 0 }

    private var unread: Int {
        switch phase {
        case .arriving: bytes?.readableBytes ?? 0
        case .begun: body?.unread ?? 0
        case .responded: 0
        }
    }

    mutating func receive(_ part: ByteBuffer) {
        guard part.readableBytes > 0 else { return }
        switch phase {
        case .arriving:
            if bytes == nil { bytes = part } else { bytes?.writeImmutableBuffer(part) }
        case .begun:
            mayContinue = false
            body?.append(part)
        case .responded: break
        }
    }

    mutating func end() {
        isComplete = true
        body?.finish()
    }

    /// Returns the request for its responder, and its whole body if that has arrived.
    ///
    /// - Parameter onDemand: Called when the consumer of the body needs or has taken bytes, on any thread.
    mutating func begin(
        onDemand: @escaping @Sendable () -> Void
    ) -> (request: Request, receivedBody: ByteBuffer?) {
        phase = .begun
        let bytes = bytes.take() ?? ByteBuffer()
        if isComplete { return (Request(head: head, body: RequestBody(buffer: bytes)), bytes) }
        mayContinue = bytes.readableBytes == 0 && head.headerFields.value(of: .expect)?.lowercased() == "100-continue"
        let body = HTTP2RequestBody(bytes, onDemand: onDemand)
        self.body = body
        return (Request(head: head, body: RequestBody(asyncSequence: body)), nil)
    }

    /// Skips the rest of the body, because its consumer is gone.
    mutating func abandon() {
        phase = .responded
        bytes = nil
        body.take()?.finish(.failure(CancellationError()))
    }

    /// Returns whether status 100 is to be sent, which asks the client for the body (RFC 9110 section 10.1.1). The result
    /// is true at most once, and never after the body has begun to arrive.
    mutating func takeContinue() -> Bool {
        defer { mayContinue = false }
        return mayContinue && !isComplete
    }

    mutating func windowDidChange(to size: Int) { window.didChange(to: size) }

    /// Returns the number of bytes by which the window is to be opened; nil while at least half of it is open.
    mutating func takeWindowIncrement() -> Int? { isComplete ? nil : window.takeIncrement(unread: unread) }
}
