import Foundation
import Primitives
import TestSupport
import Testing

@testable import Gatefold

@Suite("Canonical encoding and hash of audit entries") struct AuditEncodingTests {
    private static let chain = AuditChain(PseudonymKey(Secret("vS3nq0sYb2uT7kDx")))

    private static let first = AuditEntry(
        sequence: 1, id: Array(0..<16), milliseconds: 1_793_534_400_123, actorKind: "command", actor: "ada@console",
        publication: "daily", action: "token.revoke", subject: "subscriber:00112233445566", reason: "lost phone",
        details: "phase=done\nintent=1\n", previous: AuditChain.start, hash: [])

    /// The values were computed with Python's `hmac` from the description of the format.
    @Test("An entry has the documented bytes and the documented hash")
    func vector() {
        #expect(
            Hexadecimal.encode(Array(AuditEncoding.bytes(of: Self.first))) == """
                0000001067617465666f6c6420617564697420310000002000000000000000000000000000000000000000000000000000000000\
                000000000000000800000000000000010000001\
                0000102030405060708090a0b0c0d0e0f00000008000001a196fb167b00000007636f6d6d616e640000000b61646140636f6e73\
                6f6c65000000056461696c790000000c746f6b656e2e7265766f6b6500000019737562736372696265723a30303131323233333434\
                353536360000000a6c6f73742070686f6e650000001470686173653d646f6e650a696e74656e743d310a
                """)
        let hash = Self.chain.hash(of: Self.first)
        #expect(Hexadecimal.encode(hash) == "015e2a5fb9f75830abfa534eff91ebe3e8bbad8e3a5decd8c411b5efdc2268d9")
        let second = AuditEntry(
            sequence: 2, id: [UInt8](repeating: 0, count: 16), milliseconds: -1, actorKind: "system", actor: "é",
            publication: nil, action: "backend.flush", subject: nil, reason: nil, details: "", previous: hash, hash: [])
        #expect(
            Hexadecimal.encode(Self.chain.hash(of: second))
                == "95cdd81404c78138b7094fe10325866757c1b635cad120139e9dee213a3a6fb3")
    }

    @Test("The hash of another key differs")
    func key() {
        #expect(
            AuditChain(PseudonymKey(Secret("other"))).hash(of: Self.first) != Self.chain.hash(of: Self.first))
    }

    @Test("Different entries never have the same bytes", arguments: 1...20 as ClosedRange<UInt64>)
    func injective(seed: UInt64) throws {
        var random = SeededRandom(seed: seed)
        // Few short values, so that neighbouring fields often have the same bytes together.
        let texts = ["", "a", "aa", "ab", "b", "a\0", "\0\0\0\u{1}a", "a\0\0\0\u{1}", "é", "\u{65}\u{301}"]
        func text() -> String { texts.randomElement(using: &random) ?? "" }
        func optional() -> String? { Bool.random(using: &random) ? text() : nil }
        func bytes() -> [UInt8] { random.bytes(Int.random(in: 0...2, using: &random)).map { $0 & 1 } }
        var known: [Data: [String?]] = [:]
        for _ in 0..<2_000 {
            let entry = AuditEntry(
                sequence: Int64.random(in: 0...1, using: &random), id: bytes(),
                milliseconds: Int64.random(in: -1...1, using: &random), actorKind: text(), actor: text(),
                publication: optional(), action: text(), subject: optional(), reason: optional(), details: text(),
                previous: bytes(), hash: [])
            // Swift compares texts by their characters, and the hash covers their bytes.
            let fields: [String?] = [
                Hexadecimal.encode(entry.previous), String(entry.sequence), Hexadecimal.encode(entry.id),
                String(entry.milliseconds), entry.actorKind, entry.actor, entry.publication, entry.action,
                entry.subject, entry.reason, entry.details,
            ].map { $0.map { Hexadecimal.encode(Array($0.utf8)) } }
            let encoded = AuditEncoding.bytes(of: entry)
            if let other = known[encoded] { #expect(other == fields) }
            known[encoded] = fields
            #expect(try Self.fields(of: encoded) == fields)
        }
        #expect(known.count > 1_900)
    }

    /// Decodes the fields, independently of the encoder: the inverse shows that nothing is lost.
    private static func fields(of data: Data) throws -> [String?] {
        var rest = Array(data)[...]
        var fields: [[UInt8]?] = []
        while !rest.isEmpty {
            let length = rest.prefix(4).reduce(0) { $0 << 8 | UInt32($1) }
            rest = rest.dropFirst(4)
            if length == .max {
                fields.append(nil)
            } else {
                fields.append(Array(rest.prefix(Int(length))))
                rest = rest.dropFirst(Int(length))
            }
        }
        #expect(fields.count == 12 && fields[0] == Array("gatefold audit 1".utf8))
        func number(_ bytes: [UInt8]?) -> String {
            String(Int64(bitPattern: (bytes ?? []).reduce(0) { $0 << 8 | UInt64($1) }))
        }
        func hexadecimal(_ bytes: [UInt8]) -> String { Hexadecimal.encode(bytes) }
        func textual(_ text: String) -> String { hexadecimal(Array(text.utf8)) }
        return [
            textual(hexadecimal(fields[1] ?? [])), textual(number(fields[2])), textual(hexadecimal(fields[3] ?? [])),
            textual(number(fields[4])),
        ] + fields[5...].map { $0.map(hexadecimal) }
    }
}
