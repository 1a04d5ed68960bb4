import Foundation

/// The values from sign-in that later calls need, sealed inside the reader's token.
struct ServiceSession: Codable, Equatable {
    /// The variant that authenticated the reader.
    var variant: String?
    var values: [String: String] = [:]

    private enum CodingKeys: String, CodingKey {
        case variant = "v"
        case values = "k"
    }

    /// The encoded session, or nil when there is nothing to store. Equal sessions have equal texts.
    var text: String? {
        if variant == nil, values.isEmpty { return nil }
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return (try? encoder.encode(self)).map { String(decoding: $0, as: UTF8.self) }
    }

    init(variant: String? = nil, values: [String: String] = [:]) {
        self.variant = variant
        self.values = values
    }

    /// Decodes a session. Returns nil for a text in another format.
    init?(_ text: String?) {
        guard let text else {
            self.init()
            return
        }
        guard let session = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = session
    }
}
