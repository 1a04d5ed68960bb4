package import Gatefold
import JSON

/// The JSON text of a notification.
package struct PushPayload: Sendable, Equatable {
    /// In bytes; APNs refuses more.
    package static let largest = 4_096

    /// The header `apns-push-type`.
    package enum Kind: String, Sendable {
        /// It only wakes the app.
        case background
        /// It is shown, or sounds, or counts.
        case alert
    }

    package let bytes: [UInt8]
    package let kind: Kind

    /// Has the app look at its shelf and download (PROTOCOLS 2.5).
    ///
    /// There are two historic forms: with the edition's name, and without, where the app takes the first of its shelf.
    package init(contentName: EditionID? = nil) {
        var members = [JSONValue.Member(name: "aps", value: ["content-available": 1])]
        if let contentName { members.append(.init(name: "content-name", value: .string(contentName.rawValue))) }
        bytes = JSONWriter.bytes(.object(members))
        kind = .background
    }

    /// An operator's own, such as one with a text to be shown.
    ///
    /// - Throws: ``PushPayloadError`` for what APNs would refuse.
    package init(json: [UInt8]) throws(PushPayloadError) {
        guard json.count <= Self.largest * 4 else { throw .tooLarge(json.count) }
        let value: JSONValue
        do {
            value = try JSONParser.parse(json)
        } catch {
            throw .malformed
        }
        guard let aps = value["aps"]?.members else { throw .noDictionary }
        // Written anew, so that what indents it does not count.
        let bytes = JSONWriter.bytes(value)
        guard bytes.count <= Self.largest else { throw .tooLarge(bytes.count) }
        self.bytes = bytes
        let isSeen = aps.contains { ["alert", "sound", "badge"].contains($0.name) }
        if !isSeen && value["aps"]?["content-available"] != 1 { throw .noDictionary }
        kind = isSeen ? .alert : .background
    }
}

/// Why a text is no payload.
package enum PushPayloadError: Error, Equatable, CustomStringConvertible {
    case malformed
    case noDictionary
    case tooLarge(Int)

    package var description: String {
        switch self {
        case .malformed: "expected JSON (RFC 8259) in UTF-8, without duplicate names"
        case .noDictionary:
            "expected an object with an object `aps` that has `\"content-available\": 1`, or something to show"
        case .tooLarge(let count): "expected at most \(PushPayload.largest) bytes, not \(count)"
        }
    }
}
