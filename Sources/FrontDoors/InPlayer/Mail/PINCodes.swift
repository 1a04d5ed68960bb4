import Crypto
public import Foundation
public import Gatefold
import Synchronization

/// The six digits that readers are mailed to show that a mailbox is theirs (PROTOCOLS 5.2 "PIN").
///
/// Kept in memory, as digests under a key that no disk has: a restart forgets them, and readers ask for another.
public final class PINCodes: Sendable {
    private struct Entry {
        let digest: [UInt8]
        let expiresAt: Date
        var attempts: Int
    }

    /// In seconds.
    public static let lifetime: TimeInterval = 600
    /// So many wrong ones end a code.
    public static let mostAttempts = 5
    static let digits = 6

    private let random: RandomSource
    private let key: SymmetricKey
    private let capacity: Int
    private let entries = Mutex<[String: Entry]>([:])

    /// - Parameter capacity: so many codes are good at a time.
    public init(random: RandomSource = .system, capacity: Int = 100_000) {
        self.random = random
        self.capacity = capacity
        key = SymmetricKey(data: random.bytes(32))
    }

    /// A code in place of any before; nil when there are too many.
    func issue(for account: String, at moment: Date) -> String? {
        let code = newCode()
        let digest = digest(code, account)
        return entries.withLock { entries in
            if entries.count >= capacity { entries = entries.filter { moment < $0.value.expiresAt } }
            guard entries.count < capacity || entries[account] != nil else { return nil }
            entries[account] = Entry(
                digest: digest, expiresAt: moment.addingTimeInterval(Self.lifetime), attempts: Self.mostAttempts)
            return code
        }
    }

    /// Whether this is the account's code; a right one is good once.
    func redeem(_ code: String, of account: String, at moment: Date) -> Bool {
        let digest = digest(String(code.prefix(64)), account)
        return entries.withLock { entries in
            guard var entry = entries[account], moment < entry.expiresAt else {
                entries[account] = nil
                return false
            }
            let isRight = isEqualInConstantTime(digest, entry.digest)
            entry.attempts -= 1
            entries[account] = isRight || entry.attempts <= 0 ? nil : entry
            return isRight
        }
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

    private func digest(_ code: String, _ account: String) -> [UInt8] {
        Array(HMAC<SHA256>.authenticationCode(for: Data("\(account) \(code)".utf8), using: key))
    }
}
