import Accounts
import Foundation
import State
import TestSupport
import Testing

@Suite("Mailed PIN codes", .stateServers) struct PINCodeTests {
    private func withStores(_ body: (any PINCodeStore, any PINCodeStore) async throws -> Void) async throws {
        for kind in TestedStore<any PINCodeStore>.durable({ $0 }) {
            try await kind.with(2) { try await body($0[0], $0[1]) }
        }
    }

    @Test("A code of one process is valid once at another, until five wrong attempts or its expiry")
    func pinCodes() async throws {
        try await withStores { one, other async throws in
            let (account, code): ([UInt8], [UInt8]) = ([7], [1, 2, 3])
            func save() async throws -> Bool {
                try await one.savePINCode(code, of: account, until: noon + 600, attempts: 5, limit: 1, at: noon)
            }
            #expect(try await save())
            #expect(try await !other.redeemPINCode([3], of: account, at: noon))
            #expect(try await !other.redeemPINCode(code, of: [8], at: noon))
            #expect(try await other.redeemPINCode(code, of: account, at: noon + 1))
            #expect(try await !one.redeemPINCode(code, of: account, at: noon + 1))
            #expect(try await save())
            for _ in 0..<5 { #expect(try await !one.redeemPINCode([3], of: account, at: noon)) }
            #expect(try await !one.redeemPINCode(code, of: account, at: noon))
            #expect(try await save())
            #expect(try await !one.savePINCode(code, of: [8], until: noon + 600, attempts: 5, limit: 1, at: noon))
            #expect(try await !one.redeemPINCode(code, of: account, at: noon + 600))
        }
    }
}
