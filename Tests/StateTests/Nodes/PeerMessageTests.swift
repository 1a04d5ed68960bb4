import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@testable import State

@Suite("Messages between nodes") struct PeerMessageTests {
    private let key = PseudonymKey(Secret(Array(repeating: 1, count: 32)))

    private static let revocations = [
        Revocation(publication: daily, subscriber: subscriber(1), session: nil, before: noon),
        Revocation(
            publication: daily, subscriber: subscriber(2), session: SessionPseudonym(bytes: [1, 2, 3, 4]),
            before: noon + 0.25),
        Revocation(
            publication: daily, subscriber: subscriber(3), session: nil, before: noon + 7,
            exempt: ExemptSession(session: SessionPseudonym(bytes: [9, 9, 9, 9])!, issuedAt: noon)),
    ]

    @Test("A node reads what another node of the state has sealed", arguments: 0...3)
    func opened(count: Int) throws {
        let message = PeerMessage(Array(Self.revocations.prefix(count)), sentAt: noon)
        let sealed = try key.seal(message)
        #expect(key.open(sealed, at: noon + 3) == message)
        #expect(try key.seal(message) != sealed)
    }

    @Test("The largest message is within the limit")
    func sizeLimit() throws {
        let name = try #require(PublicationID(String(repeating: "a", count: 64)))
        let revocation = Revocation(
            publication: name, subscriber: subscriber(1), session: SessionPseudonym(bytes: [1, 2, 3, 4]), before: noon,
            exempt: ExemptSession(session: SessionPseudonym(bytes: [9, 9, 9, 9])!, issuedAt: noon))
        let sealed = try key.seal(
            PeerMessage(Array(repeating: revocation, count: PeerMessage.maxRevocations), sentAt: noon))
        #expect(key.open(sealed, at: noon)?.revocations.count == PeerMessage.maxRevocations)
    }

    @Test("A message of another state is rejected")
    func otherState() throws {
        let other = PseudonymKey(Secret(Array(repeating: 2, count: 32)))
        #expect(key.open(try other.seal(PeerMessage([Self.revocations[0]], sentAt: noon)), at: noon) == nil)
    }

    @Test("A message is rejected five minutes after and before it was sealed")
    func age() throws {
        let sealed = try key.seal(PeerMessage([Self.revocations[0]], sentAt: noon))
        for offset in [-300.0, 300] { #expect(key.open(sealed, at: noon + offset) != nil) }
        for offset in [-301.0, 301] { #expect(key.open(sealed, at: noon + offset) == nil) }
    }

    @Test("An altered, cut, extended or random message is rejected")
    func altered() throws {
        let sealed = try key.seal(PeerMessage([Self.revocations[2]], sentAt: noon))
        for index in sealed.indices {
            var bytes = sealed
            bytes[index] ^= 1
            #expect(key.open(bytes, at: noon) == nil)
            #expect(key.open(Array(sealed[..<index]), at: noon) == nil)
        }
        #expect(key.open(sealed + [0], at: noon) == nil)
        var random = SeededRandom(seed: 1)
        for count in 0...300 {
            #expect(key.open((0..<count).map { _ in UInt8.random(in: .min ... .max, using: &random) }, at: noon) == nil)
        }
    }
}
