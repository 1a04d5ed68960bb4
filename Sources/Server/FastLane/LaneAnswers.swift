import ContentGate
import FrontDoors
import Gatefold
import HTTPTypes
import Hummingbird
import Logging
import NIOCore

/// What the fast lane can answer: the calls of the Pugpig front door whose answer is decided, and the auth-request endpoint's decision.
///
/// It words nothing itself: answers are the front door's and the gate's own responses, with the headers that every answer gets.
struct LaneAnswers: Sendable {
    let publications: CurrentPublications
    /// Told of the decisions that are given here.
    let keeper: GateKeeper
    let log: AccessLog
    let clock: WallClock
    /// Writes the lines of all requests, each with an id of its own; nil for the current one.
    var logger: Logger?
    let memories = LaneMemories()

    /// Writes the answer to the first request of these bytes and takes the request from them; false when there is none to be
    /// given at once.
    ///
    /// - Parameter memory: the event loop's own.
    func answer(_ bytes: inout ByteBuffer, _ peer: LanePeer, _ memory: LaneMemory, into out: inout ByteBuffer?) -> Bool
    {
        let start = ContinuousClock.now
        // Of several requests at once only the last can be found, which is mostly the only one.
        let number =
            bytes.readableBytes <= PlainRequest.longest ? LaneMemory.number(of: bytes, from: peer.address) : nil
        if let number, let kept = memory.answer(number, to: bytes, from: peer.address, at: clock.now),
            let answer = kept.bytes
        {
            out.append(answer)
            bytes.moveReaderIndex(to: bytes.writerIndex)
            record(kept.given, kept.status, kept.route, kept.meters, kept.path, since: start) { kept.client }
            return true
        }
        guard let request = bytes.withUnsafeReadableBytes({ PlainRequest($0) }) else { return false }
        let isWhole = request.length == bytes.readableBytes
        let place = isWhole ? number.flatMap { memory.comesAgain($0) ? $0 : nil } : nil
        // Before anything is looked at.
        let configuration = place == nil ? Standing() : Standing([publications.changes.mark])
        let set = publications.snapshot
        guard let decided = answer(to: request, peer, set, isToBeKept: place != nil) else { return false }
        let answer = LaneResponse.bytes(of: decided.answer)
        let meters = log.meters(route: decided.route, method: "GET", status: decided.answer.status)
        out.append(answer)
        if let place, let content = content(decided.repetition, answer) {
            memory.keep(
                KeptAnswer(
                    to: bytes, from: peer.address, content, first: answer, status: decided.answer.status,
                    route: decided.route,
                    standing: configuration.joined(with: decided.standing), given: decided.given, meters: meters,
                    path: request.path, client: client(of: request, peer, set)),
                as: place)
        }
        bytes.moveReaderIndex(forwardBy: request.length)
        record(decided.given, decided.answer.status, decided.route, meters, request.path, since: start) {
            client(of: request, peer, set)
        }
        return true
    }

    /// What is kept of an answer; nil where nothing is.
    private func content(_ repetition: Repetition, _ bytes: ByteBuffer) -> KeptAnswer.Content? {
        switch repetition {
        case .same: .bytes(bytes)
        case .replacing(let first, let next): CredentialsForm(bytes, with: first).map { .form($0, next: next) }
        case .never: nil
        }
    }

    /// Counts and logs an answer that was given. All lines of a request carry its id, as they do further in; where none would be
    /// written, none is made.
    private func record(
        _ given: () -> Void, _ status: HTTPResponse.Status, _ route: String, _ meters: RequestMeters.Meters,
        _ path: Substring, since start: ContinuousClock.Instant, client: () -> ClientAddress?
    ) {
        func note(by logger: Logger) {
            given()
            log.record(
                AccessLog.Entry(
                    route: route, method: "GET", path: path, status: status, elapsed: ContinuousClock.now - start,
                    meters: meters),
                logger: logger, client: client)
        }
        var logger = logger ?? .current
        guard logger.logLevel <= .info else { return note(by: logger) }
        logger[metadataKey: "hb.request.id"] = .stringConvertible(RequestID())
        withLogger(logger) { note(by: $0) }
    }

    private func answer(
        to request: PlainRequest, _ peer: LanePeer, _ set: CurrentPublications.Snapshot, isToBeKept: Bool
    ) -> DecidedAnswer? {
        let path = request.path
        if path == Self.authRequest { return authRequest(request, peer, set, isToBeKept: isToBeKept) }
        return PugpigDecided(publications: set.set.directory).answer(
            path: path, query: request.query, acceptLanguage: request.acceptLanguage, isToBeKept: isToBeKept,
            client: client(of: request, peer, set))
    }

    private static let authRequest = "/auth-request/original-uri"

    /// The same decision as ``AuthRequestEndpoint``'s for a trusted peer and a GET.
    private func authRequest(
        _ request: PlainRequest, _ peer: LanePeer, _ set: CurrentPublications.Snapshot, isToBeKept: Bool
    ) -> DecidedAnswer? {
        guard set.set.clients.letsNameTarget(peer.address), let uri = request.originalURI,
            let (method, target) = ForwardedTarget.read(target: uri, method: request.originalMethod, otherwise: .get),
            method == .get
        else { return nil }
        let gate = set.set.gate
        let standing = isToBeKept ? gate.standing(forTarget: target) : Standing()
        // No plain request asks for a range.
        let question = GateRequest(
            method: method, target: target, authorization: request.authorization.map { [$0] } ?? [], isResume: false)
        let answer = AuthRequestAnswer(to: question, gate)
        return DecidedAnswer(
            WholeAnswer(status: answer.status, headers: answer.headers), route: Self.authRequest, standing: standing,
            given: { keeper.report(answer.event) })
    }

    private func client(
        of request: PlainRequest, _ peer: LanePeer, _ set: CurrentPublications.Snapshot
    ) -> ClientAddress? {
        guard let forwardedFor = request.forwardedFor else { return peer.address }
        var headers = HTTPFields()
        headers[.forwardedFor] = forwardedFor
        return set.set.clients.client(peer: peer.address, headers: headers)
    }
}

/// The other end of a connection, looked up once.
struct LanePeer {
    let address: ClientAddress?

    init(address: ClientAddress?) {
        self.address = address
    }

    init(_ channel: any Channel) {
        address = channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    }
}

extension ByteBuffer? {
    /// Without a copy where there is nothing yet.
    fileprivate mutating func append(_ more: ByteBuffer) {
        if self == nil {
            self = more
        } else {
            self?.writeImmutableBuffer(more)
        }
    }
}
