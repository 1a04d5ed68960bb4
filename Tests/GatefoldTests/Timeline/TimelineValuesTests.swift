import Foundation
import Gatefold
import Primitives
import TestSupport
import Testing

@Suite("Values of the timeline") struct TimelineValuesTests {
    private static let key = PseudonymKey(.one)

    @Test("Subjects of different kinds never have the same bytes, and are read back")
    func subjects() {
        let bytes = [UInt8](repeating: 7, count: 16)
        let all: [TimelineSubject] = [
            .owner(PurchaseOwner(bytes: bytes)!), .identifier(TypedIdentifier(bytes: bytes)!),
            .subscriber(SubscriberPseudonym(bytes: bytes.prefix(7))!),
        ]
        #expect(Set(all.map(\.bytes)).count == 3)
        for subject in all { #expect(TimelineSubject(bytes: subject.bytes) == subject) }
        for broken in [[], [1], [9] + bytes, [1] + bytes, Array([3] + bytes.dropLast())] as [[UInt8]] {
            #expect(TimelineSubject(bytes: broken) == nil, "\(broken)")
        }
    }

    @Test("A typed identifier is the same however it is typed, and another one with another key")
    func identifiers() {
        let typed = Self.key.typedIdentifier("Ann@Example.com")
        #expect(Self.key.typedIdentifier(" ann@example.COM\t") == typed)
        #expect(Self.key.typedIdentifier("anna@example.com") != typed)
        #expect(PseudonymKey(.two).typedIdentifier("ann@example.com") != typed)
    }

    @Test("A sealed reader is opened with the same key only, and is never sealed twice alike")
    func sealed() throws {
        for reader in [
            Subscriber(backend: "members", key: "4711"), Subscriber(backend: "", key: ""),
            Subscriber(backend: "a\u{0}b", key: String(repeating: "\u{1F600}", count: 5_000)),
        ] {
            let sealed = try SealedReader(reader, Self.key)
            #expect(sealed.subscriber(Self.key) == reader)
            #expect(sealed.subscriber(PseudonymKey(.two)) == nil)
            #expect(try SealedReader(reader, Self.key) != sealed)
            #expect(SealedReader(bytes: Array(sealed.bytes.dropLast())).subscriber(Self.key) == nil)
        }
    }

    @Test(
        "A refused call is an event with a kind of its own for sign-ins, receipts and downloads",
        arguments: RefusedCall.allCases)
    func refusals(call: RefusedCall) {
        let event = TimelineEvent(
            Refusal(
                .sessionRevoked, call, of: .daily, edition: .first, backend: "members", freshness: .stale, detail: "x"))
        let kinds: [RefusedCall: TimelineEvent.Kind] = [
            .signIn: .signInRefused, .purchase: .purchaseRejected, .download: .downloadRefused,
        ]
        #expect(
            event
                == TimelineEvent(
                    kinds[call] ?? .refused, in: .daily, call: call.rawValue, reason: "session_revoked",
                    edition: .first, backend: "members", freshness: "stale", detail: "x"))
    }

    @Test("Details are short and cannot look like other lines")
    func details() {
        let event = TimelineEvent(.refused, detail: "a\nb\u{0}" + String(repeating: "c", count: 999))
        #expect(event.detail?.hasPrefix("a\u{FFFD}b\u{FFFD}ccc") == true)
        #expect(event.detail?.utf8.count == TimelineEvent.maxDetailBytes)
    }

    @Test("A cursor is read back, and another text is none")
    func cursors() {
        var cursor = TimelineCursor()
        #expect(TimelineCursor(cursor.description) == cursor)
        cursor.action = 12
        #expect(TimelineCursor(cursor.description) == cursor)
        cursor.event = TimelinePosition(time: Date(timeIntervalSince1970: 1_793_534_400.123_456), sequence: 77)
        #expect(TimelineCursor(cursor.description) == cursor)
        cursor.action = nil
        #expect(TimelineCursor(cursor.description) == cursor)
        for text in ["", "_", "___", "x_1_", "1__", "7ff0000000000000_1_", "__x", "1_99999999999999999999_"] {
            #expect(TimelineCursor(text) == nil, "\(text)")
        }
    }
}
