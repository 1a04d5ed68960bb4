import Gatefold

/// A purchase as the app tells of it.
struct SoftphonePurchase: Equatable {
    /// Of an account's or a product's name, in bytes; longer ones are nobody's.
    static let longestName = 256
    /// Of a price or a currency, in bytes; the rest is cut off, because neither decides anything.
    static let longestNote = 64

    let receipt: StoreReceipt
    let credit: Credit
    let app: String?

    /// Nil when something that is needed is missing: the receipt, the product or the account.
    init?(_ fields: [String: String], by settings: CloudSoftphone) {
        let names = settings.fields
        func value(_ name: String?) -> String? {
            guard let name, let value = fields[name], !value.isEmpty, !Self.isTemplate(value) else { return nil }
            return value
        }
        func name(_ name: String) -> String? {
            guard let text = value(name), text.utf8.count <= Self.longestName, Self.isName(text) else { return nil }
            return text
        }
        guard let product = name(names.product), let account = name(names.account).map(Self.account) else { return nil }
        var parts: [StoreReceipt.Part: String] = [.product: product]
        parts[.receipt] = value(names.receipt).map(ReceiptText.unspaced)
        parts[.signature] = value(names.signature).map(ReceiptText.unspaced)
        parts[.token] = value(names.token)
        parts[.user] = value(names.user)
        guard parts[.receipt] != nil || parts[.token] != nil else { return nil }
        // A number alone would be a transaction's identifier, which others can guess.
        if settings.store == .apple, parts[.receipt]?.utf8.allSatisfy(Self.isDigit) ?? false { return nil }
        receipt = StoreReceipt(parts)
        credit = Credit(
            account: account, price: value(names.price).flatMap(Self.note),
            currency: value(names.currency).flatMap(Self.note))
        app = value(names.app)
    }

    /// Whether a text can name an account or a product. One that holds a variable, or U+FFFD in place of something else, would
    /// be several names.
    private static func isName(_ text: String) -> Bool {
        !text.unicodeScalars.contains { isControl($0) || $0 == "\u{FFFD}" } && !TemplateVariable.occurs(in: text)
    }

    /// A telephone number whose `+` arrived as a space: apps escape nothing, and forms have a meaning for it.
    private static func account(_ text: String) -> String {
        let rest = text.utf8.dropFirst()
        return text.hasPrefix(" ") && !rest.isEmpty && rest.allSatisfy(isDigit) ? "+\(text.dropFirst())" : text
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// A variable that the app left as it stands in the template, such as `%receipt%`: it knew nothing to put there.
    private static func isTemplate(_ value: String) -> Bool {
        value.utf8.count > 2 && value.hasPrefix("%") && value.hasSuffix("%")
            && value.utf8.dropFirst().dropLast().allSatisfy { $0 != UInt8(ascii: "%") && $0 > 0x20 }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }

    /// Free text, in whatever notation the app has it; nil when nothing is left of it.
    private static func note(_ text: String) -> String? {
        var kept = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars where !isControl(scalar) {
            count += UTF8.width(scalar)
            guard count <= longestNote else { break }
            kept.append(scalar)
        }
        return kept.isEmpty ? nil : String(kept)
    }
}
