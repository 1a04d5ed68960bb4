import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// A proxy between a client and a server on the loopback interface that simulates faults of the network and the server
/// on demand.
///
/// A fault starts at once, also for existing connections. ``Fault/none`` ends it.
public final class FaultProxy: Sendable {
    public enum Fault: Sendable, Equatable {
        /// Passes everything.
        case none
        /// Rejects new connections and ends existing ones.
        case reject
        /// Accepts connections and passes nothing until the fault ends.
        case stall
        /// Passes everything with this delay in each direction, including the end of a connection.
        case slow(Duration)
        /// Replaces the server's next data by garbage of the same length and then ends the connection.
        case garbage
        /// Passes half of the server's next response and then ends the connection.
        case partialResponse
        /// Resets the connection when the server responds.
        case reset
        /// Passes everything until a client sends this text, then resets the connection when the server responds to it.
        case resetAfter(String)
    }

    /// The port for clients.
    public let port: Int
    private let target: Int
    private let loop: any EventLoop
    private let state: NIOLoopBound<State>
    private let fault = Mutex(Fault.none)

    private final class State {
        var listener: (any Channel)?
        var relays: [ObjectIdentifier: Relay] = [:]
    }

    /// - Parameter target: The server's port on 127.0.0.1, which need not listen yet.
    private init(to target: Int, loop: any EventLoop) throws {
        self.target = target
        self.loop = loop
        port = try FreePort.find()
        state = NIOLoopBound(State(), eventLoop: loop)
    }

    /// Returns the number of open client connections.
    public func connections() async throws -> Int {
        try await loop.submit { [state] in state.value.relays.values.count { $0.side == .client } }.get()
    }

    /// Starts a fault, or ends it with ``Fault/none``.
    public func set(_ fault: Fault) async throws {
        self.fault.withLock { $0 = fault }
        if fault == .reject { return try await stop() }
        try await listen()
        if fault != .stall {
            try await loop.submit { [state] in for relay in state.value.relays.values { relay.releaseHeld() } }.get()
        }
    }

    fileprivate var currentFault: Fault { fault.withLock { $0 } }

    fileprivate static func started(to target: Int) async throws -> FaultProxy {
        let proxy = try await MultiThreadedEventLoopGroup.singleton.any().submitProxy(to: target)
        try await proxy.listen()
        return proxy
    }

    fileprivate static func make(to target: Int, loop: any EventLoop) throws -> FaultProxy {
        try FaultProxy(to: target, loop: loop)
    }

    fileprivate func stop() async throws {
        let channels = try await loop.submit { [state] in
            let state = state.value
            defer { state.listener = nil }
            return [state.listener].compactMap(\.self) + state.relays.values.compactMap(\.channel)
        }.get()
        for channel in channels { try? await channel.close() }
    }

    private func listen() async throws {
        guard try await loop.submit({ [state] in state.value.listener == nil }).get() else { return }
        let channel = try await ServerBootstrap(group: loop)
            .serverChannelOption(.socketOption(.so_reuseaddr), value: 1)
            .childChannelOption(.autoRead, value: false)
            .childChannelInitializer { [self] client in join(client) }
            .bind(host: "127.0.0.1", port: port).get()
        try await loop.submit { [state] in state.value.listener = channel }.get()
    }

    /// Connects to the server and joins the two connections. Without a server it ends the client's connection.
    private func join(_ client: any Channel) -> EventLoopFuture<Void> {
        ClientBootstrap(group: loop).channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: target)
            .flatMapThrowing { [self] server in
                let (near, far) = (Relay(.client, self), Relay(.server, self))
                near.peer = far
                far.peer = near
                try client.pipeline.syncOperations.addHandler(near)
                try server.pipeline.syncOperations.addHandler(far)
                // The client's connection then becomes active and reads.
                server.read()
            }
            .flatMapErrorWithEventLoop { error, loop in
                client.close(promise: nil)
                return loop.makeFailedFuture(error)
            }
    }

    fileprivate func add(_ relay: Relay) { state.value.relays[ObjectIdentifier(relay)] = relay }
    fileprivate func remove(_ relay: Relay) { state.value.relays[ObjectIdentifier(relay)] = nil }
}

/// Runs the body with a proxy in front of a port of 127.0.0.1 and then ends the proxy and its connections.
public func withFaultProxy<Result>(
    to port: Int, isolation: isolated (any Actor)? = #isolation, _ body: (FaultProxy) async throws -> Result
) async throws -> Result {
    let proxy = try await FaultProxy.started(to: port)
    do {
        let result = try await body(proxy)
        try await proxy.stop()
        return result
    } catch {
        try? await proxy.stop()
        throw error
    }
}

extension EventLoop {
    fileprivate func submitProxy(to target: Int) async throws -> FaultProxy {
        try await submit { try FaultProxy.make(to: target, loop: self) }.get()
    }
}

/// One of the two connections that a proxy joins. It writes the data that the other reads.
private final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Side { case client, server }

    let side: Side
    var peer: Relay?
    private let proxy: FaultProxy
    private var context: ChannelHandlerContext?
    /// Whether this connection sent the client's text of ``FaultProxy/Fault/resetAfter(_:)`` to the server.
    private var isDoomed = false
    /// The delayed data with the time at which it may pass. Nil represents the end of the connection.
    private var held: [(bytes: ByteBuffer?, due: NIODeadline)] = []

    var channel: (any Channel)? { context?.channel }

    init(_ side: Side, _ proxy: FaultProxy) {
        self.side = side
        self.proxy = proxy
    }

    func handlerAdded(context: ChannelHandlerContext) {
        self.context = context
        proxy.add(self)
    }

    func handlerRemoved(context: ChannelHandlerContext) {
        self.context = nil
        proxy.remove(self)
    }

    func channelActive(context: ChannelHandlerContext) {
        context.fireChannelActive()
        context.read()
    }

    func channelRead(context: ChannelHandlerContext, data: NIOAny) {
        hold(unwrapInboundIn(data), context)
    }

    func channelReadComplete(context: ChannelHandlerContext) {
        context.read()
    }

    func channelInactive(context: ChannelHandlerContext) {
        if case .slow = proxy.currentFault { hold(nil, context) } else { endPeer() }
        context.fireChannelInactive()
    }

    func errorCaught(context: ChannelHandlerContext, error: any Error) {
        context.close(promise: nil)
    }

    private func hold(_ bytes: ByteBuffer?, _ context: ChannelHandlerContext) {
        guard case .slow(let delay) = proxy.currentFault else {
            held.append((bytes, .now()))
            return pass()
        }
        let due = NIODeadline.now() + TimeAmount(delay)
        held.append((bytes, due))
        context.eventLoop.scheduleTask(deadline: due) { [relay = NIOLoopBound(self, eventLoop: context.eventLoop)] in
            relay.value.pass()
        }
    }

    private func endPeer() {
        peer?.end()
        peer = nil
    }

    /// Passes the data held during a stall.
    func releaseHeld() {
        pass()
    }

    private func pass() {
        let fault = proxy.currentFault
        guard fault != .stall else { return }
        var ready = held[...]
        if case .slow = fault {
            let now = NIODeadline.now()
            ready = held.prefix { $0.due <= now }
        }
        held.removeFirst(ready.count)
        for (bytes, _) in ready {
            guard let bytes else {
                endPeer()
                continue
            }
            guard side == .server else {
                if case .resetAfter(let text) = fault, String(buffer: bytes).contains(text) { peer?.isDoomed = true }
                peer?.write(bytes)
                continue
            }
            switch fault {
            case .none, .slow, .stall: peer?.write(bytes)
            case .reject: peer?.end()
            case .garbage:
                peer?.write(
                    ByteBuffer(
                        bytes: (0..<max(64, bytes.readableBytes)).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }))
                peer?.end()
            case .partialResponse:
                peer?.write(bytes.getSlice(at: bytes.readerIndex, length: bytes.readableBytes / 2) ?? ByteBuffer())
                peer?.end()
            case .resetAfter: isDoomed ? peer?.reset() : peer?.write(bytes)
            case .reset: peer?.reset()
            }
        }
    }

    private func write(_ bytes: ByteBuffer) {
        context?.writeAndFlush(wrapOutboundOut(bytes), promise: nil)
    }

    /// Ends the connection after the pending writes.
    private func end() {
        context?.close(promise: nil)
    }

    private func reset() {
        guard let context else { return }
        // A close with a linger time of zero sends RST.
        if let options = context.channel as? any SocketOptionProvider {
            options.unsafeSetSocketOption(
                level: .socket, name: .so_linger, value: linger(l_onoff: 1, l_linger: 0)
            ).whenComplete { [context = NIOLoopBound(context, eventLoop: context.eventLoop)] _ in
                context.value.close(promise: nil)
            }
        } else {
            context.close(promise: nil)
        }
    }
}
