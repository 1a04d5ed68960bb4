import Foundation
import Gatefold
import TestSupport
import Testing

@testable import Backends

@Suite("Purchase list of an InPlayer account") struct InPlayerHistoryTests {
    private static let settings = "items: {a.1: 1, a.2: 2, a.250: 250}\naccess: history"
    private static let list = "GET /items/access/customers"

    private func editions(_ names: String...) throws -> Entitlement {
        .editions(Set(try names.map { try EditionID.test($0) }))
    }

    @Test("The list is read in pages of a hundred entries, with or without a total")
    func pages() async throws {
        for (total, calls) in [(250, 3), (nil, 4)] {
            try await InPlayerBackendHarness.run { harness in
                let backend = try harness.open(Self.settings)
                let ada = try await harness.ada(backend)
                harness.service.with { state in
                    state.history = (1...250).filter { $0 != 2 }.map { #"{"item_id":\#($0)}"# } + [#"{"item_id":3}"#]
                    state.total = total
                }
                let reported = try await backend.subscription(of: ada, context: CallContext()).value
                #expect(reported.state == .active)
                #expect(reported.entitlement == (try editions("a.1", "a.250")))
                #expect(harness.service.count(Self.list) == calls)
            }
        }
    }

    @Test("Expired, revoked and future purchases open nothing")
    func ended() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open(Self.settings)
            let ada = try await harness.ada(backend)
            let now = Int(harness.clock.now.timeIntervalSince1970)
            harness.service.with {
                $0.history = [
                    #"{"item_id":1,"expires_at":\#(now - 1)}"#, #"{"item_id":1,"revoked":1}"#,
                    #"{"item_id":1,"starts_at":\#(now + 60)}"#,
                    #"{"item_id":"2","expires_at":0,"revoked":false,"starts_at":-62135596800}"#,
                ]
            }
            let reported = try await backend.subscription(of: ada, context: CallContext()).value
            #expect(reported == Subscription(state: .active, entitlement: try editions("a.2")))
        }
    }

    @Test("Pitfall 9: a list that cannot be read completely is an outage, not an empty list")
    func outages() async throws {
        try await InPlayerBackendHarness.run { harness in
            let backend = try harness.open(Self.settings)
            let ada = try await harness.ada(backend)
            for (body, failure) in [
                ("{}", InPlayerFailure.unrecognizedResponse(item: nil)), ("", .unrecognizedResponse(item: nil)),
                (#"{"collection":{}}"#, .unrecognizedResponse(item: nil)),
                (#"{"collection":[{"item_id":1},{"item":2}]}"#, .unrecognizedResponse(item: nil)),
                (#"{"collection":[],"total":3}"#, .unrecognizedResponse(item: nil)),
                (#"{"collection":[{"item_id":1}],"total":1000000}"#, .historyTooLong),
                (#"{"collection":[{"item_id":1}]}"#, .historyTooLong),
            ] {
                harness.service.response(Self.list, .init(body: body))
                await #expect(throws: failure, "\(body)") {
                    try await backend.subscription(of: ada, context: CallContext()).value
                }
            }
            harness.service.response(Self.list, .error(402))
            await #expect(throws: InPlayerFailure.status(402, item: nil)) {
                try await backend.subscription(of: ada, context: CallContext()).value
            }
            harness.service.response(Self.list, .init(body: #"{"collection":[],"total":0}"#))
            #expect(
                try await backend.subscription(of: ada, context: CallContext()).value
                    == Subscription(state: .inactive, entitlement: .editions([])))
        }
    }
}
