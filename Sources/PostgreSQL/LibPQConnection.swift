import CLibPQ

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A connection of libpq and the blocking calls on it. ``PostgreSQLConnection`` documents them and makes one at a time.
final class LibPQConnection {
    let library: LibPQ
    private let server: PostgreSQLServer
    private let canceller: Canceller
    private let wakeupPipe: WakeupPipe
    private(set) var handle: OpaquePointer?
    /// A Boolean value that indicates whether data of a query is unread, so that the next query would read the
    /// wrong result.
    var isPoisoned = false
    /// The number of rows that the last statement changed or returned, or nil where the server does not count them.
    var lastCount: Int?

    init(_ library: LibPQ, _ server: PostgreSQLServer, _ canceller: Canceller, _ wakeupPipe: WakeupPipe) {
        self.library = library
        self.server = server
        self.canceller = canceller
        self.wakeupPipe = wakeupPipe
    }

    deinit { close() }

    var isUsable: Bool {
        guard let handle, !isPoisoned, !wakeupPipe.isRaised else { return false }
        return library.status(handle) == CONNECTION_OK && library.transactionStatus(handle) == PQTRANS_IDLE
    }

    func close() {
        disconnect()
        wakeupPipe.close()
    }

    private func disconnect() {
        if let handle { library.finish(handle) }
        handle = nil
    }

    /// Requests that the server cancel the current statement, without waiting for it.
    func cancelStatement() {
        if let handle { canceller.cancel(handle, library) }
    }

    // MARK: Connecting

    func connect() throws(PostgreSQLError) {
        var worst: ConnectFailure?
        for (host, session) in server.attempts {
            do {
                return try connect(host, session)
            } catch {
                disconnect()
                switch error {
                case .couldNotConnect(let failure):
                    if failure.rank < worst?.rank ?? .max { worst = failure }
                case .timedOut:
                    if ConnectFailure.timedOut.rank < worst?.rank ?? .max { worst = .timedOut }
                default:
                    throw error
                }
            }
        }
        throw .couldNotConnect(worst ?? .unreachable)
    }

    private func connect(
        _ host: PostgreSQLServer.Host, _ session: PostgreSQLServer.Session
    ) throws(PostgreSQLError) {
        let deadline = ContinuousClock.now + server.connectTimeout
        let keywords = server.keywords(host, session)
        handle = withTexts(keywords.map(\.0) + [nil]) { names in
            withTexts(keywords.map(\.1) + [nil]) { values in library.connectStartParams(names, values, 0) }
        }
        guard let handle else { throw .couldNotConnect(.unreachable) }
        // Notices would be printed, and error messages would quote values.
        _ = library.setNoticeReceiver(handle, { _, _ in }, nil)
        _ = library.setErrorVerbosity(handle, PQERRORS_SQLSTATE)
        guard library.status(handle) != CONNECTION_BAD else { throw connectFailure(handle) }
        var next = PGRES_POLLING_WRITING
        while next != PGRES_POLLING_OK {
            switch next {
            case PGRES_POLLING_READING: _ = try wait(POLLIN, until: deadline)
            case PGRES_POLLING_WRITING: _ = try wait(POLLOUT, until: deadline)
            default: throw connectFailure(handle)
            }
            next = library.connectPoll(handle)
        }
        guard library.setNonBlocking(handle, 1) == 0 else { throw .lost }
    }

    private func connectFailure(_ handle: OpaquePointer) -> PostgreSQLError {
        let message = library.errorMessage(handle).map { String(cString: $0) } ?? ""
        return .couldNotConnect(ConnectFailure(message: message))
    }

    // MARK: Waiting

    /// Waits until the connection is ready for reading or writing.
    ///
    /// - Returns: the events for which it is ready.
    func wait(_ events: Int32, until deadline: ContinuousClock.Instant) throws(PostgreSQLError) -> Int32 {
        while true {
            var watched = [
                pollfd(fd: library.socket(handle), events: Int16(events), revents: 0),
                pollfd(fd: wakeupPipe.descriptor, events: Int16(POLLIN), revents: 0),
            ]
            if wakeupPipe.isRaised { throw .interrupted }
            let left = deadline - .now
            guard left > .zero else { throw .timedOut }
            // Rounded up, so that poll(2) does not repeatedly return just before the deadline.
            let milliseconds = left.components.seconds * 1000 + left.components.attoseconds / 1_000_000_000_000_000 + 1
            let ready = poll(&watched, 2, Int32(clamping: milliseconds))
            if ready < 0 && errno != EINTR { throw .lost }
            if ready <= 0 { continue }
            if watched[1].revents != 0 { throw .interrupted }
            if watched[0].revents != 0 { return Int32(watched[0].revents) }
        }
    }
}

/// Calls `body` with an array of C strings; nil stays a null pointer.
func withTexts<Result>(
    _ texts: [String?], _ body: (UnsafePointer<UnsafePointer<CChar>?>?) -> Result
) -> Result {
    let copies = texts.map { text in text.flatMap { strdup($0) } }
    defer { copies.forEach { free($0) } }
    return copies.map { UnsafePointer($0) }.withUnsafeBufferPointer { body($0.baseAddress) }
}
