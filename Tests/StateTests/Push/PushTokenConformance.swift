import Foundation
import Gatefold
import State
import Testing

@Suite("Push token store", .stateServers, .serialized) struct PushTokenConformance {
    private func token(
        _ number: UInt8, of app: String = "com.example.daily", _ environment: PushEnvironment = .production
    )
        -> PushToken
    { PushToken(app: app, bytes: [UInt8](repeating: number, count: 32), environment: environment) }

    private func all(_ store: any PushTokenStore, after: Int64 = 0, limit: Int = 99) async throws
        -> [RegisteredPushToken]
    {
        try await store.pushTokens(of: "com.example.daily", in: .production, after: after, limit: limit)
    }

    @Test(
        "Stores each token once, in order of arrival, separated by app", arguments: TestedStore<any PushTokenStore>.all)
    func order(kind: TestedStore<any PushTokenStore>) async throws {
        try await kind.with { store async throws in
            for number: UInt8 in [3, 1, 2] { try await store.register(token(number), at: noon) }
            try await store.register(token(1), at: noon + 60)
            try await store.register(token(1), at: noon + 30)
            try await store.register(token(1, of: "com.example.other"), at: noon)
            try await store.register(token(1, .sandbox), at: noon)
            let tokens = try await all(store)
            #expect(tokens.map(\.token) == [token(3), token(1), token(2)])
            #expect(tokens.map(\.registered) == [noon, noon + 60, noon])
            #expect(tokens.map(\.sequence) == tokens.map(\.sequence).sorted())
            #expect(try await all(store, limit: 2).map(\.token) == [token(3), token(1)])
            #expect(try await all(store, after: tokens[1].sequence).map(\.token) == [token(2)])
            let app = "com.example.daily"
            #expect(try await store.countPushTokens(of: app, in: .production, after: 0) == 3)
            #expect(try await store.countPushTokens(of: app, in: .production, after: tokens[1].sequence) == 1)
            #expect(try await store.countPushTokens(of: app, in: .sandbox, after: 0) == 1)
        }
    }

    @Test("Removes dead tokens, except those registered again since", arguments: TestedStore<any PushTokenStore>.all)
    func forgetting(kind: TestedStore<any PushTokenStore>) async throws {
        try await kind.with { store async throws in
            for number: UInt8 in [1, 2] { try await store.register(token(number), at: noon) }
            let last = try #require(try await all(store).last?.sequence)
            try await store.remove(token(1), unlessRegisteredAfter: noon - 1)
            try await store.remove(token(2), unlessRegisteredAfter: noon)
            try await store.remove(token(1, .sandbox), unlessRegisteredAfter: noon)
            #expect(try await all(store).map(\.token) == [token(1)])
            // A number is never reused, so a campaign skips no token behind its position.
            try await store.register(token(2), at: noon)
            #expect(try await all(store, after: last).map(\.token) == [token(2)])
        }
    }

    @Test("Limits new tokens per app and hour, and always accepts known ones")
    func limit() async throws {
        try await withTemporaryFolder { folder in
            let store = try SQLStateStore(path: folder + "/state.sqlite", newPushTokensPerHour: 3)
            for number: UInt8 in 1...2 { try await store.register(token(number), at: noon) }
            try await store.register(token(1, .sandbox), at: noon + 9)
            await #expect(throws: PushTokenLimitReached.self) { try await store.register(token(3), at: noon + 3_599) }
            try await store.register(token(3, of: "com.example.other"), at: noon + 3_599)
            try await store.register(token(1), at: noon + 3_599)
            try await store.register(token(3), at: noon + 3_600)
            #expect(try await all(store).map(\.token) == [token(1), token(2), token(3)])
            #expect(try await all(store).first?.registered == noon + 3_599)
        }
    }
}
