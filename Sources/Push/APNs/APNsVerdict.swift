package import Foundation
import JSON
package import OutgoingRequests

/// What APNs answered about one notification.
package enum APNsVerdict: Sendable, Equatable {
    case accepted
    /// The app was removed from the device, or the token replaced: 410, with the moment from which on APNs knew.
    case unregistered(since: Date?)
    /// No token at all, or one of the other environment: 400 `BadDeviceToken`.
    case badToken
    /// The token of another app: 400 `DeviceTokenNotForTopic`.
    case notForTopic
    /// The same request may go better in a while.
    case later(APNsReason, after: TimeInterval?)
    /// 403 `ExpiredProviderToken`.
    case providerTokenExpired
    /// Every other notification of the campaign would be refused in the same way.
    case refused(APNsReason)
    /// There was no answer: a notification that is sent again may arrive twice, which wakes an app twice and no more.
    case unreached(HTTPFailure)

    /// Total: whatever the status and the body are, there is a verdict.
    ///
    /// - Parameter retryAfter: the value of `Retry-After`; only seconds are understood.
    package init(status: Int, retryAfter: String?, body: [UInt8]) {
        let json = body.count <= Self.largestBody ? try? JSONParser.parse(body) : nil
        let reason = APNsReason(status: status, text: json?["reason"]?.text)
        let wait = retryAfter.flatMap { Int($0) }.flatMap { $0 >= 0 ? TimeInterval($0) : nil }
        switch (status, reason.text) {
        case (200, _): self = .accepted
        case (410, _): self = .unregistered(since: json?["timestamp"]?.integer.flatMap(Self.moment))
        case (400, "BadDeviceToken"): self = .badToken
        case (400, "DeviceTokenNotForTopic"): self = .notForTopic
        case (400, "IdleTimeout"), (429, _), (500..., _): self = .later(reason, after: wait)
        case (403, "ExpiredProviderToken"): self = .providerTokenExpired
        default: self = .refused(reason)
        }
    }

    private static let largestBody = 16 << 10

    /// APNs counts milliseconds since 1970. What lies outside any time a token can have had is passed over.
    private static func moment(_ milliseconds: Int) -> Date? {
        (0...4_102_444_800_000).contains(milliseconds)
            ? Date(timeIntervalSince1970: TimeInterval(milliseconds) / 1000) : nil
    }
}

/// The word by which APNs says why, safe to be shown: nothing but letters and digits, and not many.
package struct APNsReason: Sendable, Equatable, CustomStringConvertible {
    package let status: Int
    /// Such as `BadTopic`; nil where the answer had none that could be one.
    package let text: String?

    package init(status: Int, text: String?) {
        self.status = status
        self.text = text?.wholeMatch(of: /[A-Za-z0-9]{1,64}/) == nil ? nil : text
    }

    package var description: String { text.map { "\(status) \($0)" } ?? "\(status)" }
}
