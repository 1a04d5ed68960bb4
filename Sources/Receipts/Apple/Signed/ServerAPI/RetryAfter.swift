import Foundation

/// When to ask again, as a `Retry-After` says it.
enum RetryAfter {
    /// Longer than so many seconds nobody waits with a reader at the door; then it is told that Apple can not be asked.
    static let longest: TimeInterval = 3
    /// Where nothing is said.
    static let standard: TimeInterval = 0.5

    /// The seconds to wait; nil where that is too long.
    ///
    /// - Parameter header: seconds (RFC 9110 section 10.2.3), or, as Apple writes it, milliseconds since 1970.
    static func pause(_ header: String?, at moment: Date) -> TimeInterval? {
        guard let header, let number = Double(header), number.isFinite, number >= 0 else { return standard }
        let seconds = number < 1e9 ? number : number / 1000 - moment.timeIntervalSince1970
        return seconds <= longest ? max(0, seconds) : nil
    }
}
