import Foundation
import Gatefold
import State
import TestSupport
import Testing

@Suite("Codes that readers are mailed") struct PINCodeTests {
    private func withStores(_ body: (SQLiteStateStore, SQLiteStateStore) async throws -> Void) async throws {
        try await withTemporaryFolder { folder async throws in
            let path = folder + "/state.sqlite"
            try await body(try SQLiteStateStore(path: path), try SQLiteStateStore(path: path))
        }
    }

    @Test("a code that one process mailed is good at another, once, and no longer after five wrong ones or its end")
    func pinCodes() async throws {
        try await withStores { one, other async throws in
            let (account, code): ([UInt8], [UInt8]) = ([7], [1, 2, 3])
            func keep() async throws -> Bool {
                try await one.keepPINCode(code, of: account, until: noon + 600, attempts: 5, most: 1, at: noon)
            }
            #expect(try await keep())
            #expect(try await !other.redeemPINCode([3], of: account, at: noon))
            #expect(try await !other.redeemPINCode(code, of: [8], at: noon))
            #expect(try await other.redeemPINCode(code, of: account, at: noon + 1))
            #expect(try await !one.redeemPINCode(code, of: account, at: noon + 1))
            #expect(try await keep())
            for _ in 0..<5 { #expect(try await !one.redeemPINCode([3], of: account, at: noon)) }
            #expect(try await !one.redeemPINCode(code, of: account, at: noon))
            #expect(try await keep())
            #expect(try await !one.keepPINCode(code, of: [8], until: noon + 600, attempts: 5, most: 1, at: noon))
            #expect(try await !one.redeemPINCode(code, of: account, at: noon + 600))
        }
    }
}
