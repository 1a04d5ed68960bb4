package import Foundation
import JSON
package import OutgoingRequests

/// The meaning of an APNs response to one notification.
package enum APNsVerdict: Sendable, Equatable {
    case accepted
    /// The app was removed from the device, or the token was replaced: 410, with the time at which APNs learnt it.
    case unregistered(since: Date?)
    /// The token is malformed or belongs to the other environment: 400 `BadDeviceToken`.
    case badToken
    /// The token belongs to another app: 400 `DeviceTokenNotForTopic`.
    case notForTopic
    /// The same request may succeed later.
    case later(APNsReason, after: TimeInterval?)
    /// 403 `ExpiredProviderToken`.
    case providerTokenExpired
    /// APNs would reject every other notification of the campaign for the same reason.
    case rejected(APNsReason)
    /// No response arrived. A notification that is sent again may arrive twice, which only wakes the app twice.
    case noResponse(HTTPFailure)

    /// Creates a verdict. Every status and body has one.
    ///
    /// - Parameter retryAfter: The value of `Retry-After`. Only a number of seconds is supported.
    package init(status: Int, retryAfter: String?, body: [UInt8]) {
        let json = body.count <= Self.maxBodySize ? try? JSONParser.parse(body) : nil
        let reason = APNsReason(status: status, text: json?["reason"]?.text)
        let wait = retryAfter.flatMap { Int($0) }.flatMap { $0 >= 0 ? TimeInterval($0) : nil }
        switch (status, reason.text) {
        case (200, _): self = .accepted
        case (410, _): self = .unregistered(since: json?["timestamp"]?.integer.flatMap(Self.timestamp))
        case (400, "BadDeviceToken"): self = .badToken
        case (400, "DeviceTokenNotForTopic"): self = .notForTopic
        case (400, "IdleTimeout"), (429, _), (500..., _): self = .later(reason, after: wait)
        case (403, "ExpiredProviderToken"): self = .providerTokenExpired
        default: self = .rejected(reason)
        }
    }

    private static let maxBodySize = 16 << 10

    /// Converts a timestamp of APNs, in milliseconds since 1970. A value outside the plausible lifetime of a token
    /// is ignored.
    private static func timestamp(_ milliseconds: Int) -> Date? {
        (0...4_102_444_800_000).contains(milliseconds)
            ? Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1000) : nil
    }
}

/// The reason that APNs gives for a rejection. It is safe to display, because it holds only letters and digits and
/// is short.
package struct APNsReason: Sendable, Equatable, CustomStringConvertible {
    package let status: Int
    /// The reason, such as `BadTopic`; nil if the response held no valid one.
    package let text: String?

    package init(status: Int, text: String?) {
        self.status = status
        self.text = text?.wholeMatch(of: /[A-Za-z0-9]{1,64}/) == nil ? nil : text
    }

    package var description: String { text.map { "\(status) \($0)" } ?? "\(status)" }
}
