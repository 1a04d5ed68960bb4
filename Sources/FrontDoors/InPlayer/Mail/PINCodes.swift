public import Foundation
public import Gatefold

/// The six digits that readers are mailed to show that a mailbox is theirs (PROTOCOLS 5.2 "PIN").
///
/// The state store keeps them as keyed digests, so that whichever process is asked knows them.
public struct PINCodes: Sendable {
    /// In seconds.
    public static let lifetime: TimeInterval = 600
    /// So many wrong ones end a code.
    public static let mostAttempts = 5
    static let digits = 6

    private let store: any PINCodeStore
    private let references: ReferenceKey
    private let random: RandomSource
    private let capacity: Int

    /// - Parameters:
    ///   - references: makes the digests.
    ///   - capacity: so many codes are good at a time.
    public init(
        store: any PINCodeStore, references: ReferenceKey, random: RandomSource = .system, capacity: Int = 100_000
    ) {
        self.store = store
        self.references = references
        self.random = random
        self.capacity = capacity
    }

    /// A code in place of any before; nil when there are too many.
    ///
    /// - Throws: when it could not be kept.
    func issue(for account: String, at moment: Date) async throws -> String? {
        let code = newCode()
        let isKept = try await store.keepPINCode(
            digest(code, account), of: key(account), until: moment.addingTimeInterval(Self.lifetime),
            attempts: Self.mostAttempts, most: capacity, at: moment)
        return isKept ? code : nil
    }

    /// Whether this is the account's code; a right one is good once.
    ///
    /// - Throws: when nobody could say.
    func redeem(_ code: String, of account: String, at moment: Date) async throws -> Bool {
        try await store.redeemPINCode(digest(String(code.prefix(64)), account), of: key(account), at: moment)
    }

    /// Every code as likely as every other: what is left over of 32 bits behind the last whole million is drawn again.
    private func newCode() -> String {
        while true {
            let number = random.bytes(4).reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            guard number < 4_294_000_000 else { continue }
            let text = String(number % 1_000_000)
            return String(repeating: "0", count: Self.digits - text.count) + text
        }
    }

    private func key(_ account: String) -> [UInt8] { references.digest("PIN account", [account]) }

    private func digest(_ code: String, _ account: String) -> [UInt8] {
        references.digest("PIN code", [account, code])
    }
}
