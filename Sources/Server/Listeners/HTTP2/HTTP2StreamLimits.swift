import NIOCore

/// The time limits of one stream: for the client to end its request, and to receive some of the response.
///
/// Frames of other streams and PING frames keep the connection active for ``StallTimeoutHandler``, so each stream
/// needs its own limits. Source: Pitfall 15, “Request smuggling and parser exhaustion”. Source: Pitfall 17, “Ranges
/// and large files turned against the gate”.
struct HTTP2StreamLimits {
    /// The maximum time in which a client ends its request: 30 s. Only the client's own time counts.
    static let requestTime = TimeAmount.seconds(30)
    /// The number of bytes of a longer response that a client must receive within the stall timeout: 4 KiB.
    static let minReceived = 4 << 10

    /// What a stream waits for.
    struct Progress {
        var isRequestComplete: Bool
        /// A Boolean value that indicates whether the client may be waiting for the consumer of its body.
        var hasUnread: Bool
        /// A Boolean value that indicates whether frames of the response wait for the client.
        var hasUnsent: Bool
        /// The number of body bytes that the client has received.
        var sent: Int
    }

    private let stallTimeout: TimeAmount
    private var requestEnd: NIODeadline
    private var stall: (end: NIODeadline, sent: Int)?

    init(stallTimeout: TimeAmount, now: NIODeadline) {
        self.stallTimeout = stallTimeout
        requestEnd = now + Self.requestTime
    }

    /// Returns whether the stream is to be reset. Called every few seconds.
    mutating func hasPassed(at now: NIODeadline, _ progress: Progress) -> Bool {
        if !progress.isRequestComplete, now >= requestEnd {
            if !progress.hasUnread { return true }
            requestEnd = now + Self.requestTime
        }
        guard progress.hasUnsent else {
            stall = nil
            return false
        }
        guard let stall, progress.sent - stall.sent < Self.minReceived else {
            self.stall = (now + stallTimeout, progress.sent)
            return false
        }
        return now >= stall.end
    }
}
