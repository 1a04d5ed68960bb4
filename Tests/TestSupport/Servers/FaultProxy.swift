import NIOCore
import NIOPosix
import Synchronization

#if canImport(Glibc)
    import Glibc
#else
    import Darwin
#endif

/// Stands between a client and a server on loopback, and has the network's and the server's bad days at a test's word.
///
/// A fault begins at once, also for the connections there are; ``Fault/none`` ends it.
public final class FaultProxy: Sendable {
    public enum Fault: Sendable, Equatable {
        /// Everything passes.
        case none
        /// Nobody listens: connections are refused, and those there are end.
        case refuse
        /// Connections open, and nothing passes until the fault ends.
        case stall
        /// Everything passes, in each direction that much later, a connection's end too.
        case slow(Duration)
        /// Whatever the server says arrives as rubbish of the same length, and then the connection ends.
        case garbage
        /// Half of the server's next answer arrives, and then the connection ends.
        case halfAnswer
        /// The connection is reset when the server answers.
        case reset
        /// Everything passes until a client sends this text; then the connection is reset when the server answers to it.
        case resetAfter(String)
    }

    /// Where clients connect.
    public let port: Int
    private let target: Int
    private let loop: any EventLoop
    private let state: NIOLoopBound<State>
    private let fault = Mutex(Fault.none)

    private final class State {
        var listener: (any Channel)?
        var relays: [ObjectIdentifier: Relay] = [:]
    }

    /// - Parameter target: the server's port on 127.0.0.1; it need not listen yet.
    private init(to target: Int, loop: any EventLoop) throws {
        self.target = target
        self.loop = loop
        port = try FreePort.find()
        state = NIOLoopBound(State(), eventLoop: loop)
    }

    /// How many connections clients have open to the proxy.
    public func connections() async throws -> Int {
        try await loop.submit { [state] in state.value.relays.values.count { $0.side == .client } }.get()
    }

    /// Begins or, with ``Fault/none``, ends a fault.
    public func set(_ fault: Fault) async throws {
        self.fault.withLock { $0 = fault }
        if fault == .refuse { return try await stop() }
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

    /// Connects to the server and ties the two connections together; without a server the client's one ends.
    private func join(_ client: any Channel) -> EventLoopFuture<Void> {
        ClientBootstrap(group: loop).channelOption(.autoRead, value: false)
            .connect(host: "127.0.0.1", port: target)
            .flatMapThrowing { [self] server in
                let (near, far) = (Relay(.client, self), Relay(.server, self))
                near.peer = far
                far.peer = near
                try client.pipeline.syncOperations.addHandler(near)
                try server.pipeline.syncOperations.addHandler(far)
                // The client's connection becomes active when this is done, and reads then.
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

/// Runs the body with a proxy in front of a port of 127.0.0.1, and ends it and its connections afterwards.
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

/// One of the two connections that a proxy ties together: what it reads, the other writes.
private final class Relay: ChannelInboundHandler {
    typealias InboundIn = ByteBuffer
    typealias OutboundOut = ByteBuffer

    enum Side { case client, server }

    let side: Side
    var peer: Relay?
    private let proxy: FaultProxy
    private var context: ChannelHandlerContext?
    /// Whether the client's text of ``FaultProxy/Fault/resetAfter(_:)`` went to the server of this connection.
    private var isDoomed = false
    /// What was read and may not pass yet, with the time when it may; nil stands for the connection's end.
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

    /// Passes on what was held while the proxy stood still.
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
            case .refuse: peer?.end()
            case .garbage:
                peer?.write(
                    ByteBuffer(
                        bytes: (0..<max(64, bytes.readableBytes)).map { UInt8(truncatingIfNeeded: $0 &* 151 &+ 7) }))
                peer?.end()
            case .halfAnswer:
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

    /// Ends the connection after what was written.
    private func end() {
        context?.close(promise: nil)
    }

    private func reset() {
        guard let context else { return }
        // Closing with a linger of no time sends RST.
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
