import ContentGate
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import Logging
import NIOCore
import Primitives

/// The responses of the fast path: the calls of the Pugpig front door whose response is decided, and the decisions
/// of the auth-request endpoint.
///
/// The fast path writes no texts of its own. The responses are those of the front door and the gate, with the
/// headers that every response gets.
struct FastPathResponder: Sendable {
    let publications: ReloadableSnapshot
    /// The gate that receives the events of decisions made here.
    let evaluator: GateEvaluator
    let log: AccessLog
    let clock: WallClock
    /// The logger for the lines of all requests, each with its own request id; nil for the current logger.
    var logger: Logger?
    let caches = FastPathCaches()

    /// Writes the response to the first request in the bytes and consumes the request. Returns false if no response
    /// is decided.
    ///
    /// - Parameter cache: The cache of the current event loop.
    func response(_ bytes: inout ByteBuffer, _ peer: FastPathPeer, _ cache: FastPathCache, into out: inout ByteBuffer?)
        -> Bool
    {
        let start = ContinuousClock.now
        // The cache key covers all remaining bytes, so of several pipelined requests only the last can be found.
        // Mostly there is one request.
        let number =
            bytes.readableBytes <= FastPathRequest.maxLength ? FastPathCache.number(of: bytes, from: peer.address) : nil
        if let number, let cached = cache.response(number, to: bytes, from: peer.address, at: clock.now),
            let response = cached.bytes
        {
            out.append(response)
            bytes.moveReaderIndex(to: bytes.writerIndex)
            record(cached.commit, cached.status, cached.route, cached.routeMetrics, cached.path, since: start) {
                cached.client
            }
            return true
        }
        guard let request = bytes.withUnsafeReadableBytes({ FastPathRequest($0) }) else { return false }
        let isComplete = request.length == bytes.readableBytes
        let place = isComplete ? number.flatMap { cache.isRepeatedRequest($0) ? $0 : nil } : nil
        // The change marks are read before the settings, so that a later change invalidates the cached response.
        let configuration = place == nil ? CacheValidity() : CacheValidity([publications.changes.baseline])
        let set = publications.snapshot
        guard let immediate = response(to: request, peer, set, willBeCached: place != nil) else { return false }
        let response = FastPathResponse.bytes(of: immediate.response)
        let routeMetrics = log.routeMetrics(route: immediate.route, method: "GET", status: immediate.response.status)
        out.append(response)
        if let place, let content = content(immediate.reusability, response) {
            cache.store(
                CachedResponse(
                    to: bytes, from: peer.address, content, first: response, status: immediate.response.status,
                    route: immediate.route,
                    validity: configuration.joined(with: immediate.validity), commit: immediate.commit,
                    routeMetrics: routeMetrics,
                    path: request.path, client: client(of: request, peer, set)),
                as: place)
        }
        bytes.moveReaderIndex(forwardBy: request.length)
        record(immediate.commit, immediate.response.status, immediate.route, routeMetrics, request.path, since: start) {
            client(of: request, peer, set)
        }
        return true
    }

    /// Returns the content to cache for a response, or nil if the response is not cached.
    private func content(_ reusability: Reusability, _ bytes: ByteBuffer) -> CachedResponse.Content? {
        switch reusability {
        case .same: .bytes(bytes)
        case .replacing(let first, let next): CredentialsTemplate(bytes, with: first).map { .form($0, next: next) }
        case .never: nil
        }
    }

    /// Counts and logs a response that was sent. All lines of a request carry its id, as in the inner handlers. No
    /// id is made if the log level excludes the lines.
    private func record(
        _ commit: () -> Void, _ status: HTTPResponse.Status, _ route: String,
        _ routeMetrics: RequestMetrics.RouteMetrics,
        _ path: Substring, since start: ContinuousClock.Instant, client: () -> ClientAddress?
    ) {
        func record(by logger: Logger) {
            commit()
            log.record(
                AccessLog.Entry(
                    route: route, method: "GET", path: path, status: status, elapsed: ContinuousClock.now - start,
                    routeMetrics: routeMetrics),
                logger: logger, client: client)
        }
        var logger = logger ?? .current
        guard logger.logLevel <= .info else { return record(by: logger) }
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        withLogger(logger) { record(by: $0) }
    }

    private func response(
        to request: FastPathRequest, _ peer: FastPathPeer, _ set: ReloadableSnapshot.Snapshot, willBeCached: Bool
    ) -> ImmediateResponse? {
        let path = request.path
        if path == Self.authRequest { return authRequest(request, peer, set, willBeCached: willBeCached) }
        return PugpigImmediateResponder(publications: set.set.directory).response(
            path: path, query: request.query, acceptLanguage: request.acceptLanguage, willBeCached: willBeCached,
            client: client(of: request, peer, set))
    }

    private static let authRequest = "/auth-request/original-uri"

    /// Returns the same decision as ``AuthRequestEndpoint`` for a trusted peer and a GET request.
    private func authRequest(
        _ request: FastPathRequest, _ peer: FastPathPeer, _ set: ReloadableSnapshot.Snapshot, willBeCached: Bool
    ) -> ImmediateResponse? {
        guard set.set.clients.mayNameTarget(peer.address), let uri = request.originalURI,
            let (method, target) = ForwardedTarget.read(target: uri, method: request.originalMethod, otherwise: .get),
            method == .get
        else { return nil }
        let gate = set.set.gate
        let validity = willBeCached ? gate.validity(forTarget: target) : CacheValidity()
        // A plain request has no range.
        let gateRequest = GateRequest(
            method: method, target: target, authorization: request.authorization.map { [$0] } ?? [], isResume: false)
        let response = AuthRequestResponse(to: gateRequest, gate)
        return ImmediateResponse(
            BufferedResponse(status: response.status, headers: response.headers), route: Self.authRequest,
            validity: validity,
            commit: { evaluator.report(response.event) })
    }

    private func client(
        of request: FastPathRequest, _ peer: FastPathPeer, _ set: ReloadableSnapshot.Snapshot
    ) -> ClientAddress? {
        guard let forwardedFor = request.forwardedFor else { return peer.address }
        var headers = HTTPFields()
        headers[.forwardedFor] = forwardedFor
        return set.set.clients.client(peer: peer.address, headers: headers)
    }
}

/// The other end of a connection, looked up once per connection.
struct FastPathPeer {
    let address: ClientAddress?

    init(address: ClientAddress?) {
        self.address = address
    }

    init(_ channel: any Channel) {
        address = channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    }
}

extension ByteBuffer? {
    /// Appends without a copy if the buffer is nil.
    fileprivate mutating func append(_ more: ByteBuffer) {
        if self == nil {
            self = more
        } else {
            self?.writeImmutableBuffer(more)
        }
    }
}
