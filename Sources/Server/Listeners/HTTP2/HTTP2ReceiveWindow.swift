/// The bytes that the client may still send on a stream or on a connection (RFC 9113 section 5.2).
///
/// An increment that was taken counts as open, although it may still wait to be sent. The next reported size replaces that
/// count.
struct HTTP2ReceiveWindow {
    /// The size of a window that is fully open, in bytes (RFC 9113 section 6.9.2).
    static let size = 65_535

    private var open = size

    /// Records the size after the client has sent bytes, or after an increment was sent.
    mutating func didChange(to size: Int) { open = size }

    /// Returns the increment to send, or nil while at least half of the window is open.
    ///
    /// - Parameter unread: The number of received bytes that nobody has taken. The window does not open for them.
    mutating func takeIncrement(unread: Int = 0) -> Int? {
        let taken = Self.size - open - unread
        guard taken * 2 >= Self.size else { return nil }
        open += taken
        return taken
    }
}
