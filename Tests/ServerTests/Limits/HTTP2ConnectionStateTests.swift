import NIOHTTP2
import Testing

@testable import Server

@Suite("HTTP/2 connection state")
struct HTTP2ConnectionStateTests {
    /// A reference to a state, for single steps.
    private final class Connection {
        private var state = HTTP2ConnectionState()

        func streamOpened(_ id: HTTP2StreamID) -> HTTP2ConnectionState.Action { state.streamOpened(id) }
        func streamClosed() -> HTTP2ConnectionState.Action { state.streamClosed() }
        func clientWasWarned() -> HTTP2ConnectionState.Action { state.clientWasWarned() }
        func leave() -> HTTP2ConnectionState.Action { state.leave() }
        func inputClosed() -> HTTP2ConnectionState.Action { state.inputClosed() }
    }

    @Test("A connection is idle while it has no stream")
    func idle() {
        let state = Connection()
        #expect(state.streamOpened(1) == .cancelIdleTimer)
        #expect(state.streamOpened(3) == .none)
        #expect(state.streamClosed() == .none)
        #expect(state.streamClosed() == .startIdleTimer)
        #expect(state.streamOpened(5) == .cancelIdleTimer)
    }

    @Test("An idle connection closes with GOAWAY after the timeout or at shutdown")
    func idleEnd() {
        let unused = Connection()
        #expect(unused.leave() == .goAway(last: .rootStream, closing: true))
        #expect(unused.leave() == .none)
        let used = Connection()
        _ = used.streamOpened(7)
        _ = used.streamClosed()
        #expect(used.leave() == .goAway(last: 7, closing: true))
    }

    @Test("A busy connection warns, then names its last stream in GOAWAY and closes after the open streams")
    func busyEnd() {
        let state = Connection()
        #expect(state.clientWasWarned() == .none)
        _ = state.streamOpened(1)
        #expect(state.leave() == .warn)
        #expect(state.leave() == .none)
        #expect(state.streamOpened(3) == .none)
        #expect(state.clientWasWarned() == .goAway(last: 3, closing: false))
        #expect(state.clientWasWarned() == .none)
        #expect(state.streamOpened(5) == .reject)
        #expect(state.streamClosed() == .none)
        #expect(state.streamClosed() == .close)
        #expect(state.streamClosed() == .none)
    }

    @Test("A busy connection whose streams end during the warning closes when the client has received it")
    func endDuringWarning() {
        let state = Connection()
        _ = state.streamOpened(1)
        _ = state.leave()
        #expect(state.streamClosed() == .none)
        #expect(state.streamOpened(3) == .none)
        #expect(state.streamClosed() == .none)
        #expect(state.clientWasWarned() == .goAway(last: 3, closing: true))
        #expect(state.clientWasWarned() == .none)
    }

    @Test("A connection closes at once when the client closes its output")
    func inputClosed() {
        let state = Connection()
        _ = state.streamOpened(1)
        #expect(state.inputClosed() == .goAway(last: 1, closing: true))
        #expect(state.inputClosed() == .none)
        #expect(state.streamClosed() == .none)
        #expect(state.leave() == .none)
    }
}
