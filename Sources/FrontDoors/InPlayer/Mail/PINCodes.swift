public import Accounts
public import Foundation
public import Gatefold
public import Primitives

/// The codes of six digits that readers receive by e-mail, to prove that they own a mailbox.
///
/// The state store holds keyed digests of the codes, so that every process can verify them.
///
/// Source: InPlayer protocol, “Account calls”.
public struct PINCodes: Sendable {
    /// The lifetime of a code, in seconds.
    public static let lifetime: TimeInterval = 600
    /// The number of wrong attempts that invalidate a code.
    public static let maxAttempts = 5
    static let digits = 6

    private let store: any PINCodeStore
    private let pseudonymKey: PseudonymKey
    private let random: RandomSource
    private let capacity: Int

    /// - Parameters:
    ///   - store: The store of the codes.
    ///   - pseudonymKey: The key of the digests.
    ///   - random: The source of randomness.
    ///   - capacity: The maximum number of codes that are valid at a time. Default: 100,000.
    public init(
        store: any PINCodeStore, pseudonymKey: PseudonymKey, random: RandomSource = .system, capacity: Int = 100_000
    ) {
        self.store = store
        self.pseudonymKey = pseudonymKey
        self.random = random
        self.capacity = capacity
    }

    /// Creates a code that replaces any earlier code of the account. Returns `nil` if there are too many codes.
    ///
    /// - Throws: An error if the code could not be stored.
    func issue(for account: String, at timestamp: Date) async throws -> String? {
        let code = newCode()
        let isStored = try await store.savePINCode(
            digest(code, account), of: key(account), until: timestamp.addingTimeInterval(Self.lifetime),
            attempts: Self.maxAttempts, limit: capacity, at: timestamp)
        return isStored ? code : nil
    }

    /// Returns whether this is the account's code. A correct code is valid once.
    ///
    /// - Throws: An error if the store could not be queried.
    func redeem(_ code: String, of account: String, at timestamp: Date) async throws -> Bool {
        try await store.redeemPINCode(digest(String(code.prefix(64)), account), of: key(account), at: timestamp)
    }

    /// Returns a uniformly distributed code. Numbers above the last whole million within 32 bits are drawn again.
    private func newCode() -> String {
        while true {
            let number = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard number < 4_294_000_000 else { continue }
            let text = String(number % 1_000_000)
            return String(repeating: "0", count: Self.digits - text.count) + text
        }
    }

    private func key(_ account: String) -> [UInt8] { pseudonymKey.digest("PIN account", [account]) }

    private func digest(_ code: String, _ account: String) -> [UInt8] {
        pseudonymKey.digest("PIN code", [account, code])
    }
}
