package import Foundation
package import Primitives

/// A notification to every installation of an app: the headers and the body of an APNs request.
package struct APNsNotification: Sendable, Equatable {
    /// The app's bundle identifier.
    package let topic: String
    package let payload: PushPayload
    /// The time until which APNs tries to deliver the notification; nil for a single immediate attempt.
    package let expiration: Date?
    /// The collapse identifier, at most 64 bytes. A device shows only the last of several notifications with the
    /// same identifier.
    package let collapseID: String?

    package init(topic: String, payload: PushPayload, expiration: Date? = nil, collapseID: String? = nil) {
        self.topic = topic
        self.payload = payload
        self.expiration = expiration
        self.collapseID = collapseID
    }

    /// Returns the request's headers except the authorization.
    ///
    /// A notification that only wakes the app has the push type `background` and must have the priority 5. A
    /// visible notification has the priority 10.
    package func headers(id: String) -> [(name: String, value: String)] {
        var headers = [
            (name: "apns-topic", value: topic),
            (name: "apns-push-type", value: payload.kind.rawValue),
            (name: "apns-priority", value: payload.kind == .background ? "5" : "10"),
            (name: "apns-expiration", value: expiration.map { String(Int($0.timeIntervalSince1970)) } ?? "0"),
            (name: "apns-id", value: id),
            (name: "content-type", value: "application/json"),
        ]
        if let collapseID { headers.append((name: "apns-collapse-id", value: collapseID)) }
        return headers
    }

    /// Returns a canonical UUID in lower case (RFC 9562). A retried request reuses it.
    package static func identifier(_ random: RandomSource) -> String {
        var bytes = random.bytes(16)
        bytes[6] = bytes[6] & 0x0F | 0x40
        bytes[8] = bytes[8] & 0x3F | 0x80
        let hex = bytes.hex
        let parts = [0..<8, 8..<12, 12..<16, 16..<20, 20..<32].map { range in
            String(hex.dropFirst(range.lowerBound).prefix(range.count))
        }
        return parts.joined(separator: "-")
    }
}

extension [UInt8] {
    /// The bytes in lower-case hexadecimal, two digits per byte.
    var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
