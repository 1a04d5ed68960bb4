import Foundation

/// What is kept from sign-in for later calls, sealed inside the reader's token.
struct ServiceSession: Codable, Equatable {
    /// The variant that recognised the reader.
    var variant: String?
    var values: [String: String] = [:]

    private enum CodingKeys: String, CodingKey {
        case variant = "v"
        case values = "k"
    }

    /// Nil when there is nothing to keep. The same session is always the same text.
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

    /// Nil for a text of another make.
    init?(_ text: String?) {
        guard let text else {
            self.init()
            return
        }
        guard let session = try? JSONDecoder().decode(Self.self, from: Data(text.utf8)) else { return nil }
        self = session
    }
}
