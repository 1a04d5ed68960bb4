import Foundation
import Gatefold
import HTTPTypes
import JSON
import State
import TestSupport
import Testing

@testable import AdminAPI
@testable import Server

@Suite("Admin API: timeline of a reader") struct AdminReaderTimelineTests {
    private typealias Fixture = AdminAPIFixture

    private func list(
        _ fixture: Fixture, _ token: String, _ query: String? = nil
    ) async throws -> (items: [JSONValue], next: String?) {
        let received = await fixture.send(
            .get, fixture.path(fixture.ada.handle, "/timeline"), token, query: query)
        #expect(received.status == 200, "\(received.text)")
        let operation = try #require(AdminOperations.all.first { $0.id == "listTimeline" })
        let faults = operation.success.schema?.faults(of: received.json) ?? []
        #expect(faults.isEmpty, "\(faults)")
        return (received.json["items"]?.items ?? [], received.json["next"]?.text)
    }

    @Test("Has the events with all that was recorded, and what the staff did, the newest first")
    func items() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            let event = TimelineEvent(
                .signInRefused, in: Fixture.daily, call: "sign_in", reason: "wrong_credentials",
                device: fixture.ada.device, edition: EditionID("com.example.daily.1"), backend: "house",
                freshness: "live", detail: "a\u{1B}[2J")
            try await fixture.know(fixture.ada.subscriber, event)
            _ = await fixture.send(.get, fixture.path(fixture.ada.handle), token)
            let items = try await list(fixture, token, "include=reads").items
            #expect(items.map { $0["kind"]?.text } == ["staff", "staff", "sign_in_refused"])
            #expect(items.map { $0["action"]?.text } == ["timeline.show", "reader.show", nil])
            #expect(items[1]["actor"]?.text?.hasPrefix("ada#") == true)
            let refused = try #require(items.last)
            #expect(refused["reason"] == "wrong_credentials" && refused["call"] == "sign_in")
            #expect(refused["device"]?.text == fixture.ada.device.description && refused["backend"] == "house")
            #expect(refused["edition"] == "com.example.daily.1" && refused["freshness"] == "live")
            #expect(refused["count"]?.integer == 1 && refused["last_time"] == .null)
            #expect(refused["detail"]?.text?.unicodeScalars.contains("\u{1B}") == false)
        }
    }

    @Test("Reads by the staff hide nothing: without `include=reads`, only actions that change something are listed")
    func reads() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support)
            let subject = AuditSubject.subscriber(fixture.key.reference(to: fixture.ada.subscriber))
            let chain = AuditChain(fixture.key)
            func record(_ action: AuditAction) async throws {
                try await fixture.state.append(
                    AuditRecord(
                        action, by: AuditActor(.commandLineUser, name: "root@console"), of: subject,
                        in: Fixture.daily), to: chain)
            }
            let reads: [AuditAction] = [
                .readerShow, .readerSearch, .readerExplain, .deviceList, .throttleShow, .purchaseShow, .timelineShow,
                .subscriberShow, .tokenInspect,
            ]
            try await fixture.know(fixture.ada.subscriber, TimelineEvent(.signInRefused, in: Fixture.daily))
            let changes: [AuditAction] = [.deviceRemove, .sessionEnd, .throttleRelease, .readerRefresh, .tokenRevoke]
            for action in changes { try await record(action) }
            for _ in 0..<80 { for action in reads { try await record(action) } }
            let page = try await list(fixture, token, "limit=50")
            #expect(
                page.items.map { $0["action"]?.text ?? $0["kind"]?.text }
                    == changes.reversed().map(\.rawValue) + ["sign_in_refused"])
            #expect(page.next == nil)
            let all = try await list(fixture, token, "limit=12&include=reads")
            #expect(all.items.prefix(2).map { $0["action"]?.text } == ["timeline.show", "timeline.show"])
            #expect(Set(all.items.compactMap { $0["action"]?.text }) == Set(reads.map(\.rawValue)))
            let path = fixture.path(fixture.ada.handle, "/timeline")
            #expect(await fixture.send(.get, path, token, query: "include=changes").status == 400)
        }
    }

    @Test("Pages follow each other, although others of the reader's events are not shown")
    func pages() async throws {
        try await Fixture.with { fixture in
            let token = try await fixture.token(.support, in: [Fixture.daily])
            for number in 0..<9 {
                let publication = number.isMultiple(of: 3) ? Fixture.daily : Fixture.weekly
                try await fixture.know(
                    fixture.ada.subscriber, TimelineEvent(.signIn, in: publication, detail: String(number)))
            }
            var (seen, next): ([String], String?) = ([], nil)
            repeat {
                let page = try await list(fixture, token, "limit=1" + (next.map { "&cursor=\($0)" } ?? ""))
                seen += page.items.compactMap { $0["detail"]?.text }
                next = page.next
            } while next != nil
            #expect(seen == ["6", "3", "0"])
        }
    }

    @Test("Nothing of another publication is shown, neither events nor what the staff did there or elsewhere")
    func isolation() async throws {
        try await Fixture.with { fixture in
            let subscriber = fixture.ada.subscriber
            try await fixture.know(subscriber, TimelineEvent(.signIn, in: Fixture.weekly))
            for publication in [Fixture.weekly, nil] {
                try await fixture.state.append(
                    AuditRecord(
                        .tokenRevoke, by: AuditActor(.commandLineUser, name: "root@console"),
                        of: .subscriber(fixture.key.reference(to: subscriber)), in: publication),
                    to: AuditChain(fixture.key))
            }
            let own = try await fixture.token(.support, in: [Fixture.daily])
            #expect(try await list(fixture, own, "include=reads").items.map { $0["action"]?.text } == ["timeline.show"])
            let everything = try await fixture.token(.support)
            let actions = try await list(fixture, everything, "include=reads").items.map { $0["action"]?.text }
            #expect(actions == ["timeline.show", "timeline.show", "token.revoke"])
        }
    }
}
