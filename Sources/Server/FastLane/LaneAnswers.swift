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
    let keeper: GateKeeper
    let log: AccessLog

    /// Writes the answer; false when there is none to be given at once.
    func answer(_ request: PlainRequest, _ peer: LanePeer, into out: inout ByteBuffer) -> Bool {
        let start = ContinuousClock.now
        guard let (route, answer) = answer(to: request, peer) else { return false }
        LaneResponse.write(answer, into: &out)
        log.record(
            AccessLog.Entry(
                route: route, method: "GET", path: request.path, status: answer.status,
                elapsed: ContinuousClock.now - start),
            client: { client(of: request, peer) })
        return true
    }

    private func answer(to request: PlainRequest, _ peer: LanePeer) -> (route: String, WholeAnswer)? {
        let path = request.path
        if path == Self.authRequest { return authRequest(request, peer).map { (Self.authRequest, $0) } }
        return PugpigDecided(publications: publications.value.directory).answer(
            path: path, query: request.query, acceptLanguage: request.acceptLanguage, client: client(of: request, peer))
    }

    private static let authRequest = "/auth-request/original-uri"

    /// The same decision as ``AuthRequestEndpoint``'s for a trusted peer and a GET.
    private func authRequest(_ request: PlainRequest, _ peer: LanePeer) -> WholeAnswer? {
        guard let address = peer.address, let target = request.originalURI,
            request.originalMethod == nil || request.originalMethod == "GET"
        else { return nil }
        var headers = HTTPFields()
        headers[.authorization] = request.authorization
        headers[.originalURI] = target
        guard Loopback.contains(address) || publications.value.clients.trusts(address) else { return nil }
        let answer = AuthRequestAnswer(
            to: HTTPRequest(method: .get, scheme: nil, authority: nil, path: request.target, headerFields: headers),
            .original, keeper)
        return WholeAnswer(status: answer.status, headers: answer.headers)
    }

    private func client(of request: PlainRequest, _ peer: LanePeer) -> ClientAddress? {
        guard let forwardedFor = request.forwardedFor else { return peer.address }
        var headers = HTTPFields()
        headers[.forwardedFor] = forwardedFor
        return publications.value.clients.client(peer: peer.address, headers: headers)
    }
}

/// The other end of a connection, looked up once.
struct LanePeer {
    let address: ClientAddress?

    init(_ channel: any Channel) {
        address = channel.remoteAddress?.ipAddress.flatMap { ClientAddress($0) }
    }
}
