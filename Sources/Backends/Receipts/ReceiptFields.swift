import Commerce
import Gatefold
import Settings

/// The request fields with the parts of a receipt.
struct ReceiptFields: Sendable {
    private let byPart: [StoreReceipt.Part: String]

    /// Names with another meaning in the front door's calls.
    private static let taken: Set<String> = ["product_id"]

    /// Reads a section with the parts as keys and the names of their fields as values. An empty section means
    /// `receipt: receipt`.
    init(_ section: SettingsSection) throws(SettingsError) {
        var byPart: [StoreReceipt.Part: String] = [:]
        for part in StoreReceipt.Part.allCases {
            guard let name = try section.string(part.rawValue) else { continue }
            guard !name.isEmpty, !Self.taken.contains(name), !byPart.values.contains(name) else {
                throw section.error(
                    part.rawValue, expected: "expected the name of a request field, another one for every part")
            }
            byPart[part] = name
        }
        try section.finish()
        if byPart.isEmpty { byPart = [.receipt: "receipt"] }
        guard byPart[.receipt] != nil || byPart[.token] != nil else {
            throw section.error("receipt", expected: "missing; expected the request field with the receipt, or `token`")
        }
        self.byPart = byPart
    }

    var names: Set<String> { Set(byPart.values) }

    func receipt(in credentials: Credentials) -> StoreReceipt {
        StoreReceipt(byPart.compactMapValues { credentials[$0] })
    }
}
