import NIOCore
import Testing

@testable import Server

@Suite("Pitfall 17: stalled HTTP/2 stream")
struct HTTP2StreamLimitsTests {
    private typealias Progress = HTTP2StreamLimits.Progress

    private func time(_ seconds: Int64) -> NIODeadline { .uptimeNanoseconds(0) + .seconds(seconds) }

    /// Returns the second at which the stream is reset; nil if it is not within ten minutes.
    private func reset(_ progress: (Int64) -> Progress) -> Int64? {
        var limits = HTTP2StreamLimits(stallTimeout: .seconds(90), now: time(0))
        return stride(from: 5, through: 600, by: 5).first { limits.hasPassed(at: time($0), progress($0)) }
    }

    @Test("An incomplete request is reset after 30 s, even if its body drips")
    func incomplete() {
        #expect(
            reset { _ in Progress(isRequestComplete: false, hasUnread: false, hasUnsent: false, sent: 0) } == 30)
    }

    @Test("The time in which the server does not read a body is not the client's")
    func unread() {
        #expect(
            reset { Progress(isRequestComplete: false, hasUnread: $0 < 100, hasUnsent: false, sent: 0) } == 120)
        #expect(reset { Progress(isRequestComplete: $0 > 20, hasUnread: false, hasUnsent: false, sent: 0) } == nil)
    }

    @Test("A client that receives nothing of a response is reset after 90 s to 180 s")
    func stalled() throws {
        let second = try #require(
            reset { Progress(isRequestComplete: true, hasUnread: false, hasUnsent: $0 > 200, sent: 7) })
        #expect((290...380).contains(second))
    }

    @Test("A client that receives single bytes is stalled too")
    func drip() throws {
        let second = try #require(
            reset { Progress(isRequestComplete: true, hasUnread: false, hasUnsent: true, sent: Int($0)) })
        #expect((90...180).contains(second))
    }

    @Test("A stream continues while the client reads slowly, and waits for a slow response")
    func slow() {
        #expect(
            reset { Progress(isRequestComplete: true, hasUnread: false, hasUnsent: true, sent: Int($0) * 60) } == nil)
        #expect(reset { _ in Progress(isRequestComplete: true, hasUnread: false, hasUnsent: false, sent: 0) } == nil)
    }
}
