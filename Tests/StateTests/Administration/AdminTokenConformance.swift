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
