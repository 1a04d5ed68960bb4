import Dispatch
import Synchronization

#if canImport(Glibc)
    import Glibc
#elseif canImport(Darwin)
    import Darwin
#endif

/// The connection below a libldap handle, held through a separate descriptor.
///
/// libldap may close its descriptor at any time, and the system may then reuse the number for another file. This
/// duplicate stays open, so another thread can shut the connection down at any time, and every call that waits for
/// it returns.
final class DirectorySocket: Sendable {
    private struct State {
        var descriptor: Int32?
        var isShutDown = false
        var isExpired = false
    }

    private let state = Mutex(State())

    var isShutDown: Bool { state.withLock(\.isShutDown) }

    /// A Boolean value that indicates whether the connection was shut down because a call exceeded its time limit.
    var isExpired: Bool { state.withLock(\.isExpired) }

    /// Shuts the connection down for reading and writing. A later connection attempt fails.
    func shutDown() {
        state.withLock { state in
            state.isShutDown = true
            if let descriptor = state.descriptor { _ = shutdown(descriptor, Int32(SHUT_RDWR)) }
        }
    }

    /// Runs blocking calls, and shuts the connection down when they exceed the limit.
    ///
    /// libldap has its own timeouts for responses. It has no working timeout for the TLS handshake, for an
    /// incomplete TLS record, or for a request that the server does not read.
    func timed<Result>(
        _ limit: Duration, _ body: () throws(LDAPError) -> Result
    ) throws(LDAPError) -> Result {
        let watchdog = DispatchWorkItem { [self] in
            state.withLock { $0.isExpired = true }
            shutDown()
        }
        // The threads of the default priority may all be busy.
        DispatchQueue.global(qos: .userInteractive).asyncAfter(
            deadline: .now() + .milliseconds(Int(limit.milliseconds)), execute: watchdog)
        defer { watchdog.cancel() }
        return try body()
    }

    func close() {
        state.withLock { state in
            if let descriptor = state.descriptor { closeDescriptor(descriptor) }
            state.descriptor = nil
        }
    }

    deinit {
        close()
    }

    /// Connects, and returns a blocking descriptor for libldap.
    func connect(to url: DirectoryURL, timeout: Duration) throws(LDAPError) -> Int32 {
        let deadline = ContinuousClock.now + timeout
        for address in try SocketAddress.resolve(url) {
            guard let descriptor = open(address) else { continue }
            guard address.connect(descriptor), finish(descriptor, by: deadline), !isShutDown,
                prepare(descriptor, isTCP: url.scheme != .ldapi)
            else {
                close()
                if isShutDown { throw .connectionLost }
                continue
            }
            let duplicate = fcntl(descriptor, F_DUPFD_CLOEXEC, 0)
            guard duplicate >= 0 else { throw .unreachable }
            return duplicate
        }
        throw isShutDown ? .connectionLost : .unreachable
    }

    private func open(_ address: SocketAddress) -> Int32? {
        let descriptor = address.open()
        guard descriptor >= 0 else { return nil }
        return state.withLock { state in
            guard !state.isShutDown else {
                closeDescriptor(descriptor)
                return nil
            }
            state.descriptor = descriptor
            return descriptor
        }
    }

    /// Waits until the connection is made.
    private func finish(_ descriptor: Int32, by deadline: ContinuousClock.Instant) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(POLLOUT), revents: 0)
        while true {
            let left = max(.zero, deadline - .now)
            let count = poll(&entry, 1, left.milliseconds)
            if count < 0 && errno == EINTR { continue }
            guard count == 1 else { return false }
            var code: Int32 = 0
            var length = socklen_t(MemoryLayout<Int32>.size)
            return getsockopt(descriptor, SOL_SOCKET, SO_ERROR, &code, &length) == 0 && code == 0
        }
    }

    private func prepare(_ descriptor: Int32, isTCP: Bool) -> Bool {
        let flags = fcntl(descriptor, F_GETFL)
        guard flags >= 0, fcntl(descriptor, F_SETFL, flags & ~O_NONBLOCK) == 0 else { return false }
        var on: Int32 = 1
        let flag = socklen_t(MemoryLayout<Int32>.size)
        _ = setsockopt(descriptor, SOL_SOCKET, SO_KEEPALIVE, &on, flag)
        if isTCP { _ = setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &on, flag) }
        return true
    }
}

func closeDescriptor(_ descriptor: Int32) {
    #if canImport(Glibc)
        _ = Glibc.close(descriptor)
    #else
        _ = Darwin.close(descriptor)
    #endif
}

extension timeval {
    init(_ duration: Duration) {
        let (seconds, attoseconds) = duration.components
        self.init(tv_sec: Int(seconds), tv_usec: .init(attoseconds / 1_000_000_000_000))
    }
}
