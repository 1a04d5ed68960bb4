import Crypto
import Foundation
import JWTKit
import PushFixtures
import TestSupport
import Testing

@testable import Push

@Suite("APNs provider token") struct ProviderTokenTests {
    private let pem = P256.Signing.PrivateKey().pemRepresentation
    private let clock = ManualClock()

    private func token() throws -> ProviderToken {
        ProviderToken(team: "TEAM123456", keyID: "KEY1234567", key: try ES256PrivateKey(pem: pem), clock: clock.wall)
    }

    @Test("Contains the key ID, the team and the issue time, signed with ES256")
    func claims() async throws {
        let issue = try await token().current()
        let proof = try ProviderTokenProof("bearer \(issue.text)", key: pem)
        #expect(proof.header == ["alg": "ES256", "kid": "KEY1234567", "typ": "JWT"])
        #expect(proof.claims == ["iss": "TEAM123456", "iat": "\(Int(clock.now.timeIntervalSince1970))"])
        #expect(throws: (any Error).self) {
            try ProviderTokenProof("bearer \(issue.text)", key: P256.Signing.PrivateKey().pemRepresentation)
        }
    }

    @Test("Is shared for more than 20 minutes and less than an hour")
    func renewal() async throws {
        let token = try token()
        let numbers = try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<100 { group.addTask { try await token.current().number } }
            return try await group.reduce(into: Set()) { $0.insert($1) }
        }
        #expect(numbers == [1])
        clock.advance(by: 20 * 60)
        #expect(try await token.current().number == 1)
        clock.advance(by: 39 * 60)
        let next = try await token.current()
        #expect(next.number == 2)
        #expect(
            try ProviderTokenProof("bearer \(next.text)", key: pem).claims["iat"]
                == "\(Int(clock.now.timeIntervalSince1970))")
    }

    @Test("Is replaced once after APNs reports it as expired, and not again within 20 minutes")
    func replacement() async throws {
        let token = try token()
        let first = try await token.current()
        clock.advance(by: 60)
        let second = try #require(try await token.replacement(for: first))
        #expect(second.number == 2)
        #expect(try await token.replacement(for: first)?.number == 2, "the token of another process is used")
        #expect(try await token.replacement(for: second) == nil)
        clock.advance(by: 20 * 60)
        #expect(try await token.replacement(for: second)?.number == 3)
    }

    @Test("Keeps the replacement interval across clock steps", arguments: [1_800, -1_800])
    func replacementAfterStep(step: Double) async throws {
        let token = try token()
        let second = try #require(try await token.replacement(for: token.current()))
        clock.step(by: step)
        #expect(try await token.replacement(for: second) == nil)
        clock.advance(by: 20 * 60)
        #expect(try await token.replacement(for: second)?.number == 3)
    }

    @Test("Is shared per key in the process and differs for another key, team or key ID")
    func oneForAKey() async throws {
        let tokens = ProviderTokens()
        let key = try ES256PrivateKey(pem: pem)
        func text(_ team: String, _ keyID: String, _ key: ES256PrivateKey) async throws -> String {
            try await tokens.issuer(team: team, keyID: keyID, key: key, clock: clock.wall).current().text
        }
        let first = try await text("TEAM123456", "KEY1234567", key)
        #expect(try await text("TEAM123456", "KEY1234567", try ES256PrivateKey(pem: pem)) == first)
        #expect(try await text("TEAM123456", "KEY1234568", key) != first)
        #expect(try await text("TEAM123457", "KEY1234567", key) != first)
        let corrected = try ES256PrivateKey(pem: P256.Signing.PrivateKey().pemRepresentation)
        let next = try await text("TEAM123456", "KEY1234567", corrected)
        #expect(next != first)
        #expect(try await text("TEAM123456", "KEY1234567", corrected) == next)
    }

    @Test("A token with a future issue time is not used after the clock is set back")
    func clockSetBack() async throws {
        let token = try token()
        _ = try await token.current()
        clock.advance(by: -3600)
        #expect(try await token.current().number == 2)
    }
}
