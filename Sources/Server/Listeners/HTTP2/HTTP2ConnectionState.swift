import NIOHTTP2

/// Decides when a connection of HTTP/2 is idle, when it takes no more streams, and when it is closed.
///
/// Streams are the only activity: a PING does not make a connection less idle. A connection without streams is closed together
/// with its GOAWAY, because the last stream that GOAWAY names tells the client what it may send again elsewhere (RFC 9113
/// section 6.8); a client that ignores GOAWAY therefore keeps no place.
struct HTTP2ConnectionState {
    enum Action: Equatable {
        case none
        case startIdleTimer
        case cancelIdleTimer
        /// Send GOAWAY that names the last stream, and close the connection at once if so stated.
        case goAway(last: HTTP2StreamID, closing: Bool)
        case close
    }

    private enum Phase {
        case open
        /// GOAWAY was sent while streams were open.
        case leaving
        case closed
    }

    private var phase = Phase.open
    private var openStreams = 0
    private var lastStream = HTTP2StreamID.rootStream

    mutating func streamOpened(_ id: HTTP2StreamID) -> Action {
        openStreams += 1
        lastStream = max(lastStream, id)
        return phase == .open && openStreams == 1 ? .cancelIdleTimer : .none
    }

    mutating func streamClosed() -> Action {
        openStreams = max(0, openStreams - 1)
        guard openStreams == 0 else { return .none }
        switch phase {
        case .open: return .startIdleTimer
        case .leaving:
            phase = .closed
            return .close
        case .closed: return .none
        }
    }

    /// The idle time has passed, or the server stops.
    mutating func leave() -> Action {
        guard phase == .open else { return .none }
        phase = openStreams == 0 ? .closed : .leaving
        return .goAway(last: lastStream, closing: openStreams == 0)
    }

    /// The client sends nothing more, so that no response can be completed by its window updates.
    mutating func inputClosed() -> Action {
        guard phase != .closed else { return .none }
        phase = .closed
        return .goAway(last: lastStream, closing: true)
    }
}
