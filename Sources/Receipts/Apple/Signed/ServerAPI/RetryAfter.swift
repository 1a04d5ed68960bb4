import Foundation

/// The delay before a retry, read from a `Retry-After` header.
enum RetryAfter {
    /// The maximum delay in seconds, because a reader is waiting. After a longer delay the call fails as
    /// unavailable.
    static let maxDelay: TimeInterval = 3
    /// The delay in seconds if the header is missing or unreadable.
    static let standard: TimeInterval = 0.5

    /// Returns the delay in seconds, or nil if the delay exceeds the maximum.
    ///
    /// - Parameter header: Seconds (RFC 9110 section 10.2.3), or milliseconds since 1970, which is Apple's format.
    static func pause(_ header: String?, at timestamp: Date) -> TimeInterval? {
        guard let header, let number = Double(header), number.isFinite, number >= 0 else { return standard }
        let seconds = number < 1e9 ? number : number / 1000 - timestamp.timeIntervalSince1970
        return seconds <= maxDelay ? max(0, seconds) : nil
    }
}
