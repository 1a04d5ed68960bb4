import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("An InPlayer account's list of purchases") struct InPlayerHistoryTests {
    private static let settings = "items: {a.1: 1, a.2: 2, a.250: 250}\naccess: history"
    private static let list = "GET /items/access/customers"

    private func editions(_ names: String...) throws -> Entitlement {
        .editions(Set(try names.map { try EditionID.test($0) }))
    }

    @Test("is read a hundred entries at a time, with or without their number")
    func pages() async throws {
        for (total, calls) in [(250, 3), (nil, 4)] {
            try await InPlayerBed.run { bed in
                let backend = try bed.open(Self.settings)
                let ada = try await bed.ada(backend)
                bed.service.with { state in
                    state.history = (1...250).filter { $0 != 2 }.map { #"{"item_id":\#($0)}"# } + [#"{"item_id":3}"#]
                    state.total = total
                }
                let told = try await backend.subscription(of: ada, inquiry: Inquiry())
                #expect(told.state == .active)
                #expect(told.entitlement == (try editions("a.1", "a.250")))
                #expect(bed.service.count(Self.list) == calls)
            }
        }
    }

    @Test("opens nothing by what has ended, was taken back or has not begun")
    func ended() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open(Self.settings)
            let ada = try await bed.ada(backend)
            let now = Int(bed.clock.now.timeIntervalSince1970)
            bed.service.with {
                $0.history = [
                    #"{"item_id":1,"expires_at":\#(now - 1)}"#, #"{"item_id":1,"revoked":1}"#,
                    #"{"item_id":1,"starts_at":\#(now + 60)}"#,
                    #"{"item_id":"2","expires_at":0,"revoked":false,"starts_at":-62135596800}"#,
                ]
            }
            let told = try await backend.subscription(of: ada, inquiry: Inquiry())
            #expect(told == Subscription(state: .active, entitlement: try editions("a.2")))
        }
    }

    @Test("Pitfall 9: a list that can not be read whole is an outage, and no empty one")
    func outages() async throws {
        try await InPlayerBed.run { bed in
            let backend = try bed.open(Self.settings)
            let ada = try await bed.ada(backend)
            for (body, failure) in [
                ("{}", InPlayerFailure.notUnderstood(item: nil)), ("", .notUnderstood(item: nil)),
                (#"{"collection":{}}"#, .notUnderstood(item: nil)),
                (#"{"collection":[{"item_id":1},{"item":2}]}"#, .notUnderstood(item: nil)),
                (#"{"collection":[],"total":3}"#, .notUnderstood(item: nil)),
                (#"{"collection":[{"item_id":1}],"total":1000000}"#, .historyTooLong),
                (#"{"collection":[{"item_id":1}]}"#, .historyTooLong),
            ] {
                bed.service.answer(Self.list, .init(body: body))
                await #expect(throws: failure, "\(body)") {
                    try await backend.subscription(of: ada, inquiry: Inquiry())
                }
            }
            bed.service.answer(Self.list, .error(402))
            await #expect(throws: InPlayerFailure.status(402, item: nil)) {
                try await backend.subscription(of: ada, inquiry: Inquiry())
            }
            bed.service.answer(Self.list, .init(body: #"{"collection":[],"total":0}"#))
            #expect(
                try await backend.subscription(of: ada, inquiry: Inquiry())
                    == Subscription(state: .inactive, entitlement: .editions([])))
        }
    }
}
