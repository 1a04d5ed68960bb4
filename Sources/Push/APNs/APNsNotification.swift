package import Foundation
package import Gatefold

/// What is sent to every installation of an app: the headers and the body of one APNs request.
package struct APNsNotification: Sendable, Equatable {
    /// The app's bundle identifier.
    package let topic: String
    package let payload: PushPayload
    /// Until when APNs keeps trying to deliver it; nil for once, at once or never.
    package let expiration: Date?
    /// Of several notifications with one such identifier a device is shown the last. At most 64 bytes.
    package let collapseID: String?

    package init(topic: String, payload: PushPayload, expiration: Date? = nil, collapseID: String? = nil) {
        self.topic = topic
        self.payload = payload
        self.expiration = expiration
        self.collapseID = collapseID
    }

    /// The request's headers but for the authorization.
    ///
    /// A notification that only wakes the app has the push type `background` and must have the priority 5; one that is
    /// shown has 10.
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

    /// A canonical UUID in lower case (RFC 9562), which a repeated request keeps.
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
    /// Two lower-case digits for each byte.
    var hex: String {
        map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}
