import NIOHTTP2

/// A state machine that decides when an HTTP/2 connection is idle, when it accepts no more streams, and when it is
/// closed.
///
/// Streams are the only activity, so a PING does not reset the idle time. A connection without streams is closed
/// together with its GOAWAY, because the last stream that GOAWAY names shows the client which requests it may send
/// again elsewhere (RFC 9113 section 6.8). A client that ignores GOAWAY therefore occupies no place.
///
/// A connection with streams first warns the client with a GOAWAY that names every stream, and names the last one when
/// the client has received the warning. A request that was already on its way is therefore served.
struct HTTP2ConnectionState {
    enum Action: Equatable {
        case none
        case startIdleTimer
        case cancelIdleTimer
        /// Reset the stream, which the server has not named.
        case reject
        /// Send a GOAWAY that names every stream, and a PING that shows when the client has received it.
        case warn
        /// Send a GOAWAY that names the last stream, and close the connection at once if `closing` is true.
        case goAway(last: HTTP2StreamID, closing: Bool)
        case close
    }

    private enum Phase {
        case open
        /// The server sent the warning while streams were open.
        case warning
        /// The server has named the last stream.
        case leaving
        case closed
    }

    private var phase = Phase.open
    private var openStreams = 0
    private var lastStream = HTTP2StreamID.rootStream

    /// Returns the action for a new stream. A rejected stream does not count as open.
    mutating func streamOpened(_ id: HTTP2StreamID) -> Action {
        guard phase == .open || phase == .warning else { return .reject }
        openStreams += 1
        lastStream = max(lastStream, id)
        return phase == .open && openStreams == 1 ? .cancelIdleTimer : .none
    }

    mutating func streamClosed() -> Action {
        openStreams = max(0, openStreams - 1)
        guard openStreams == 0 else { return .none }
        switch phase {
        case .open: return .startIdleTimer
        // A request may be on its way.
        case .warning: return .none
        case .leaving:
            phase = .closed
            return .close
        case .closed: return .none
        }
    }

    /// Returns the action after the idle time has passed or when the server stops.
    mutating func leave() -> Action {
        guard phase == .open else { return .none }
        guard openStreams == 0 else {
            phase = .warning
            return .warn
        }
        phase = .closed
        return .goAway(last: lastStream, closing: true)
    }

    /// Returns the action after the client has received the warning, or has had seconds to receive it.
    mutating func clientWasWarned() -> Action {
        guard phase == .warning else { return .none }
        phase = openStreams == 0 ? .closed : .leaving
        return .goAway(last: lastStream, closing: openStreams == 0)
    }

    /// Returns the action after the client has closed its sending side. No response can complete, because no window
    /// updates arrive any more.
    mutating func inputClosed() -> Action {
        guard phase != .closed else { return .none }
        phase = .closed
        return .goAway(last: lastStream, closing: true)
    }
}
