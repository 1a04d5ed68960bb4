import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Chain session in a token") struct ChainSessionTests {
    @Test("A member's own session alone is stored unchanged")
    func plain() {
        for own in [nil, "", "abc", "gatefold-chain-2;", "gatefold-chain-1"] {
            #expect(ChainSession(own: own).upstreamSession == own)
            #expect(ChainSession(own) == ChainSession(own: own))
        }
    }

    @Test("Further memberships are written as netstrings")
    func written() {
        let session = ChainSession(
            own: "é",
            links: [Subscriber(backend: "feed", key: "7"), Subscriber(backend: "b", key: "", upstreamSession: "")]
        )
        #expect(session.upstreamSession == "gatefold-chain-1;2:é4:feed1:7-1:b0:0:")
        #expect(ChainSession(session.upstreamSession) == session)
    }

    @Test(
        "A malformed chain session is read as a member's own session",
        arguments: [
            "gatefold-chain-1;", "gatefold-chain-1;x", "gatefold-chain-1;-1:", "gatefold-chain-1;-1:a1:b",
            "gatefold-chain-1;-1:a-1:c", "gatefold-chain-1;9:a", "gatefold-chain-1;-1:1:b",
            "gatefold-chain-1;-999999:a",
            "gatefold-chain-1;-+1:a1:b-", "gatefold-chain-1;1:é", "gatefold-chain-1;01:a",
        ])
    func foreign(text: String) {
        let read = ChainSession(text)
        #expect(read == ChainSession(own: text))
        #expect(ChainSession(read.upstreamSession) == read)
    }

    @Test("Reading is the inverse of writing for any session, even one that looks like a chain's")
    func roundTrip() {
        var random = SeededRandom(seed: 7)
        func text() -> String {
            let bytes = random.hostileBytes(upTo: 24, specialCharacters: "0123456789:;-gatefold-chain-1;")
            let text = String(decoding: bytes, as: UTF8.self)
            switch Int.random(in: 0..<4, using: &random) {
            case 0: return "gatefold-chain-1;" + text
            case 1: return ChainSession(own: text, links: [Subscriber(backend: "a", key: text)]).upstreamSession ?? ""
            default: return text
            }
        }
        for _ in 0..<10_000 {
            let links = (0..<Int.random(in: 0...3, using: &random)).map { _ in
                Subscriber(
                    backend: text(), key: text(), upstreamSession: Bool.random(using: &random) ? text() : nil)
            }
            let session = ChainSession(own: Bool.random(using: &random) ? text() : nil, links: links)
            guard ChainSession(session.upstreamSession) == session else {
                Issue.record("\(session)")
                return
            }
            // Reading accepts any text, and writes again what it read.
            let any = text()
            guard ChainSession(ChainSession(any).upstreamSession) == ChainSession(any) else {
                Issue.record("\(any)")
                return
            }
        }
    }
}
