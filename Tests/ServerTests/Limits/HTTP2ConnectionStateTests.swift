import NIOHTTP2
import Testing

@testable import Server

@Suite("The state of a connection of HTTP/2")
struct HTTP2ConnectionStateTests {
    /// A state whose changes are looked at one by one.
    private final class Connection {
        private var state = HTTP2ConnectionState()

        func streamOpened(_ id: HTTP2StreamID) -> HTTP2ConnectionState.Action { state.streamOpened(id) }
        func streamClosed() -> HTTP2ConnectionState.Action { state.streamClosed() }
        func leave() -> HTTP2ConnectionState.Action { state.leave() }
        func inputClosed() -> HTTP2ConnectionState.Action { state.inputClosed() }
    }

    @Test("is idle while it has no stream")
    func idle() {
        let state = Connection()
        #expect(state.streamOpened(1) == .cancelIdleTimer)
        #expect(state.streamOpened(3) == .none)
        #expect(state.streamClosed() == .none)
        #expect(state.streamClosed() == .startIdleTimer)
        #expect(state.streamOpened(5) == .cancelIdleTimer)
    }

    @Test("closes together with GOAWAY when it is idle for too long, or the server stops")
    func idleEnd() {
        let unused = Connection()
        #expect(unused.leave() == .goAway(last: .rootStream, closing: true))
        #expect(unused.leave() == .none)
        let used = Connection()
        _ = used.streamOpened(7)
        _ = used.streamClosed()
        #expect(used.leave() == .goAway(last: 7, closing: true))
    }

    @Test("names its last stream in GOAWAY, and closes when the streams before it have ended")
    func busyEnd() {
        let state = Connection()
        _ = state.streamOpened(1)
        _ = state.streamOpened(3)
        #expect(state.leave() == .goAway(last: 3, closing: false))
        #expect(state.streamClosed() == .none)
        #expect(state.streamClosed() == .close)
        #expect(state.streamClosed() == .none)
    }

    @Test("closes at once when its client sends nothing more")
    func inputClosed() {
        let state = Connection()
        _ = state.streamOpened(1)
        #expect(state.inputClosed() == .goAway(last: 1, closing: true))
        #expect(state.inputClosed() == .none)
        #expect(state.streamClosed() == .none)
        #expect(state.leave() == .none)
    }
}
