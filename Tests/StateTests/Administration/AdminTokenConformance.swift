import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Admin tokens", .stateServers) struct AdminTokenConformance {
    private typealias Kind = TestedStore<any StateStore>

    static func token(
        _ number: UInt8, _ scope: AdminScope = AdminScope(.support, in: [daily]), expires: Date? = noon + 60
    ) throws -> AdminTokenRecord {
        AdminTokenRecord(
            id: "00000000000\(number)", digest: [UInt8](repeating: number, count: 32),
            name: try #require(AdminTokenName("ada-\(number)")), scope: scope, created: noon + Double(number),
            expires: expires)
    }

    @Test("Are found by their digest at each node", arguments: Kind.durable { $0 })
    func find(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2) { stores in
            let all = [
                try Self.token(1), try Self.token(2, AdminScope(.admin), expires: nil),
                try Self.token(3, AdminScope(.viewer, in: [])),
            ]
            for token in all { try await stores[0].create(token) }
            for token in all {
                #expect(try await stores[1].adminToken(withDigest: token.digest) == token)
            }
            #expect(try await stores[1].adminToken(withDigest: [UInt8](repeating: 9, count: 32)) == nil)
            #expect(try await stores[1].adminTokens() == all.reversed())
        }
    }

    @Test("Two tokens never have one digest or one identifier", arguments: Kind.durable { $0 })
    func unique(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(1) { stores in
            let token = try Self.token(1)
            try await stores[0].create(token)
            await #expect(throws: (any Error).self) { try await stores[0].create(token) }
            #expect(try await stores[0].adminTokens() == [token])
        }
    }

    @Test("A revocation is in force at each node at once, and the first one counts", arguments: Kind.durable { $0 })
    func revocation(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2) { stores in
            var token = try Self.token(1)
            try await stores[0].create(token)
            #expect(try await stores[0].revokeAdminToken(token.id, at: noon + 9))
            #expect(try await stores[1].revokeAdminToken(token.id, at: noon + 10))
            #expect(try await !stores[1].revokeAdminToken("ffffffffffff", at: noon))
            token.revoked = noon + 9
            #expect(try await stores[1].adminToken(withDigest: token.digest) == token)
        }
    }

    @Test("An exchange revokes a token and creates another one, once", arguments: Kind.durable { $0 })
    func exchange(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(2) { stores in
            let link = try Self.token(1)
            try await stores[0].create(link)
            let new = try (2..<9).map { try Self.token($0) }
            let wins = try await withThrowingTaskGroup(of: Int?.self) { group in
                for (index, token) in new.enumerated() {
                    group.addTask {
                        let won = try await stores[index % 2].exchangeAdminToken(link.id, for: token, at: noon + 9)
                        return won ? index : nil
                    }
                }
                return try await group.reduce(into: [Int]()) { if let index = $1 { $0.append(index) } }
            }
            #expect(wins.count == 1)
            let winner = try #require(wins.first)
            let found = try await stores[1].adminTokens()
            #expect(Set(found.map(\.id)) == [link.id, new[winner].id])
            #expect(try await stores[1].adminToken(withDigest: link.digest)?.revoked == noon + 9)
            #expect(try await stores[1].adminToken(withDigest: new[winner].digest) == new[winner])
        }
    }

    @Test("An expired, a revoked and an unknown token are not exchanged", arguments: Kind.durable { $0 })
    func noExchange(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(1) { stores in
            let (expired, revoked) = (try Self.token(1, expires: noon), try Self.token(2))
            for token in [expired, revoked] { try await stores[0].create(token) }
            #expect(try await stores[0].revokeAdminToken(revoked.id, at: noon - 1))
            let new = try Self.token(3)
            for id in [expired.id, revoked.id, "ffffffffffff"] {
                #expect(try await !stores[0].exchangeAdminToken(id, for: new, at: noon))
            }
            #expect(try await stores[0].adminTokens().count == 2)
        }
    }

    @Test("The last use never goes back", arguments: Kind.durable { $0 })
    func uses(kind: TestedStore<any StateStore>) async throws {
        try await kind.with(1) { stores in
            let token = try Self.token(1)
            try await stores[0].create(token)
            for seconds in [5, 3] as [Double] { try await stores[0].touchAdminToken(token.id, at: noon + seconds) }
            #expect(try await stores[0].adminToken(withDigest: token.digest)?.lastUsed == noon + 5)
        }
    }
}
