package import Gatefold
import JSON

/// The JSON payload of a notification.
package struct PushPayload: Sendable, Equatable {
    /// The maximum size in bytes. APNs rejects larger payloads.
    package static let maxSize = 4_096

    /// The value of the header `apns-push-type`.
    package enum Kind: String, Sendable {
        /// A notification that only wakes the app.
        case background
        /// A notification with an alert, a sound or a badge.
        case alert
    }

    package let bytes: [UInt8]
    package let kind: Kind

    /// Creates a payload that lets the app refresh its shelf and download.
    ///
    /// There are two historic formats: with the edition's name, and without it. Without a name the app downloads
    /// the first edition of its shelf.
    ///
    /// Source: Baker protocol, “Push payload for Newsstand”.
    package init(contentName: EditionID? = nil) {
        var members = [JSONValue.Member(name: "aps", value: ["content-available": 1])]
        if let contentName { members.append(.init(name: "content-name", value: .string(contentName.rawValue))) }
        bytes = JSONWriter.bytes(.object(members))
        kind = .background
    }

    /// Creates a payload from an operator's JSON, such as one with a visible text.
    ///
    /// - Throws: ``PushPayloadError`` for a payload that APNs would reject.
    package init(json: [UInt8]) throws(PushPayloadError) {
        guard json.count <= Self.maxSize * 4 else { throw .tooLarge(json.count) }
        let value: JSONValue
        do {
            value = try JSONParser.parse(json)
        } catch {
            throw .malformed
        }
        guard let aps = value["aps"]?.members else { throw .noDictionary }
        // Re-encoded, so that indentation does not count towards the size.
        let bytes = JSONWriter.bytes(value)
        guard bytes.count <= Self.maxSize else { throw .tooLarge(bytes.count) }
        self.bytes = bytes
        let isSeen = aps.contains { ["alert", "sound", "badge"].contains($0.name) }
        if !isSeen && value["aps"]?["content-available"] != 1 { throw .noDictionary }
        kind = isSeen ? .alert : .background
    }
}

/// The reason that a text is not a valid payload.
package enum PushPayloadError: Error, Equatable, CustomStringConvertible {
    case malformed
    case noDictionary
    case tooLarge(Int)

    package var description: String {
        switch self {
        case .malformed: "expected JSON (RFC 8259) in UTF-8, without duplicate names"
        case .noDictionary:
            "expected an object with an object `aps` that has `\"content-available\": 1`, or something to show"
        case .tooLarge(let count): "expected at most \(PushPayload.maxSize) bytes, not \(count)"
        }
    }
}
