import Foundation
import Primitives
import TestSupport
import Testing

@testable import Gatefold

@Suite("Values of audit entries") struct AuditValuesTests {
    private static let key = PseudonymKey(Secret("vS3nq0sYb2uT7kDx"))

    @Test("A reason is a short line without an e-mail address")
    func reasons() {
        for good in [
            "x", "Lost phone, ticket 42", "né à Genève", "@ noon", "call @desk", String(repeating: "a", count: 500),
        ] {
            #expect(AuditReason(good)?.description == good, "\(good)")
        }
        for bad in [
            "", "a\nb", "a\tb", "a\u{0}", "a\u{2028}b", "a\u{202E}b", "\u{1B}[31m", "ada@example.com",
            "asked by <ada@example.com>.", "@ada@example.com", "ada@example.com@", "ada\u{FF20}example.com",
            String(repeating: "a", count: 501),
        ] {
            #expect(AuditReason(bad) == nil, "\(bad)")
        }
    }

    @Test("Unacceptable characters of names are replaced, and long names are cut off at a character")
    func names() {
        #expect(AuditActor(.system, name: "a\nb\u{202E}c").name == "a\u{FFFD}b\u{FFFD}c")
        #expect(AuditActor(.system, name: "").name == "\u{FFFD}")
        let long = AuditActor(.system, name: String(repeating: "é", count: 300)).name
        #expect(long.utf8.count == AuditActor.maxNameBytes && long.allSatisfy { $0 == "é" })
        #expect(AuditSubject.node("a\u{0}b").description == "node:a\u{FFFD}b")
    }

    @Test("Details are lines of names and values, whatever the values contain")
    func details() {
        let details = AuditDetails([("a", "1"), ("b", nil), ("c", "x=y\nd=2")])
        #expect(details.text == "a=1\nc=x=y\u{FFFD}d=2\n")
        #expect(AuditDetails.pairs(in: details.text).map(\.name) == ["a", "c"])
        #expect(AuditDetails.pairs(in: details.text).map(\.value) == ["1", "x=y\u{FFFD}d=2"])
        #expect(AuditDetails(Array(repeating: ("n", "v"), count: 40)).text.split(separator: "\n").count == 16)
    }

    @Test("Pitfall 37: an identifier becomes a keyed digest, the same for each spelling of its letters")
    func identifiers() {
        let subject = AuditSubject.identifier("Ada@Example.com", Self.key).description
        #expect(subject == AuditSubject.identifier("ada@example.com", Self.key).description)
        #expect(subject != AuditSubject.identifier("ada@example.com", PseudonymKey(Secret("x"))).description)
        #expect(subject.wholeMatch(of: /identifier:[0-9a-f]{16}/) != nil)
    }

    @Test("Pitfall 37: a delivery becomes a keyed digest, because others know the transaction")
    func deliveries() {
        let subject = AuditSubject.delivery("app-store/1000", Self.key).description
        #expect(subject != AuditSubject.delivery("app-store/1000", PseudonymKey(Secret("x"))).description)
        #expect(subject.wholeMatch(of: /delivery:[0-9a-f]{16}/) != nil)
    }

    @Test("A key has a subject at each backend that may have authenticated the reader, once")
    func members() {
        let subjects = AuditSubject.subscribers(with: "17", of: ["chain", "a", "b", "a"], Self.key)
        let expected = ["chain", "a", "b"].map { backend in
            AuditSubject.subscriber(Self.key.reference(to: Subscriber(backend: backend, key: "17")))
        }
        #expect(subjects == expected)
    }

    @Test("A head is a number and 64 digits")
    func heads() {
        let head = AuditHead(sequence: 12, hash: [UInt8](repeating: 0xA1, count: 32))
        #expect(head.description == "12:" + String(repeating: "a1", count: 32))
        #expect(AuditHead(head.description) == head)
        for bad in ["", "12", "12:", "0:" + String(repeating: "a1", count: 32), "12:a1", "x:\(head)", "\(head):"] {
            #expect(AuditHead(bad) == nil, "\(bad)")
        }
    }

    @Test("Codes of actions are dotted and unique")
    func codes() {
        for action in AuditAction.allCases {
            #expect(action.rawValue.wholeMatch(of: /[a-z-]+\.[a-z-]+/) != nil, "\(action)")
        }
    }
}
