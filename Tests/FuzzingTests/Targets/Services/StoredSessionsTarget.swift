@testable import Backends

extension FuzzTarget {
    /// Backend sessions inside our tokens: any text has one reading and survives a round trip.
    static let storedSessions = FuzzTarget(
        "stored-sessions", upTo: 512, of: "ChainSession", "PugpigBackend", "ServiceSession", "InPlayerSession",
        "TestTokenCodec"
    ) { bytes in
        let text = text(bytes)
        let chain = ChainSession(text)
        promise(ChainSession(chain.upstreamSession) == chain, "a session does not round-trip")
        if let session = PugpigSession(text) {
            promise(PugpigSession(session.text) == session, "a session does not round-trip")
        }
        _ = ServiceSession(text)
        _ = TestTokenCodec(publication: FuzzedTenant.id).open(text)
        if let session = InPlayerSession(text), let written = try? session.text() {
            promise(
                (try? InPlayerSession(written)?.text()) == written, "a session does not round-trip")
        }
    }
}
