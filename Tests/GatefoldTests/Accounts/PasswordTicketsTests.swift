import Foundation
import TestSupport
import Testing

@testable import Gatefold

@Suite("A ticket for a new password") struct PasswordTicketsTests {
    private let subscriber = Subscriber(backend: "readers", key: "1")

    private func tickets(
        _ publication: PublicationID = .daily, _ current: Secret = .one, retired: [Secret] = []
    ) -> PasswordTickets {
        PasswordTickets(
            publication: publication, secrets: SecretRing(current: current, retired: retired), random: .seeded(42),
            lifetime: 60)
    }

    @Test("opens as it was sealed until its time is over, whatever the keys look like")
    func inverse() throws {
        var random = SeededRandom(seed: 43)
        let tickets = tickets()
        for _ in 0..<1000 {
            func text(_ longest: Int) -> String {
                String(decoding: random.hostileBytes(upTo: longest, spice: "a:{}\"\n"), as: UTF8.self)
            }
            let who = Subscriber(backend: text(8), key: text(40))
            let mark = random.bytes(Int.random(in: 0...40, using: &random))
            let ticket = try tickets.seal(who, mark: mark, at: .after(0))
            let read = try #require(tickets.open(ticket, at: .after(59)))
            #expect(read.subscriber == who && isEqualInConstantTime(read.mark, mark) && read.expiresAt == .after(60))
            #expect(tickets.open(ticket, at: .after(60)) == nil)
            #expect(ticket.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-" || $0 == "_") })
        }
        #expect(throws: TokenError.self) {
            try tickets.seal(
                Subscriber(backend: "b", key: String(repeating: "k", count: 4096)), mark: [], at: .after(0))
        }
    }

    @Test("does not open with any byte changed, cut off or added")
    func tampered() throws {
        let tickets = tickets()
        let bytes = try #require(Base64URL.decode(try tickets.seal(subscriber, mark: [1], at: .after(0))))
        for index in bytes.indices {
            for bit in 0..<8 {
                var changed = bytes
                changed[index] ^= 1 << bit
                #expect(tickets.open(Base64URL.encode(changed), at: .after(0)) == nil)
            }
        }
        for count in bytes.indices {
            #expect(tickets.open(Base64URL.encode(bytes.prefix(count)), at: .after(0)) == nil)
        }
        #expect(tickets.open(Base64URL.encode(bytes + [0]), at: .after(0)) == nil)
    }

    @Test("is of one publication and one purpose, and outlives a rotation while its secret is retired")
    func scope() throws {
        let ticket = try tickets().seal(subscriber, mark: [1], at: .after(0))
        #expect(tickets(.weekly).open(ticket, at: .after(0)) == nil)
        #expect(tickets(.daily, .two).open(ticket, at: .after(0)) == nil)
        #expect(tickets(.daily, .two, retired: [.one]).open(ticket, at: .after(0))?.subscriber == subscriber)
        let codec = SealedTokenCodec(publication: .daily, secrets: SecretRing(current: .one), random: .seeded(44))
        #expect(codec.open(ticket) == nil)
        #expect(tickets().open(try codec.seal(.sample()), at: .after(0)) == nil)
    }

    @Test("is never one of 10,000 that were changed, nor of hostile texts")
    func fuzz() throws {
        var random = SeededRandom(seed: 45)
        let tickets = tickets()
        let genuine = Array(try tickets.seal(subscriber, mark: [1, 2, 3], at: .after(0)).utf8)
        var opened = 0
        for _ in 0..<10_000 {
            var text = genuine
            for _ in 0..<Int.random(in: 1...3, using: &random) {
                let index = Int.random(in: text.indices, using: &random)
                switch Int.random(in: 0..<3, using: &random) {
                case 0: text[index] = UInt8.random(in: 0x20...0x7E, using: &random)
                case 1: text.remove(at: index)
                default: text.insert(UInt8.random(in: 0x20...0x7E, using: &random), at: index)
                }
            }
            guard text != genuine else { continue }
            if tickets.open(String(decoding: text, as: UTF8.self), at: .after(0)) != nil { opened += 1 }
        }
        for _ in 0..<10_000 {
            let text = String(decoding: random.hostileBytes(upTo: 90, spice: "AZaz09-_"), as: UTF8.self)
            if tickets.open(text, at: .after(0)) != nil { opened += 1 }
        }
        #expect(opened == 0)
        #expect(tickets.open(String(repeating: "A", count: 10_000_000), at: .after(0)) == nil)
    }
}
