import Commerce
import Gatefold

/// A purchase as the app reports it.
struct SoftphonePurchase: Equatable {
    /// The maximum length of an account's or a product's name, in bytes. Longer names match none.
    static let maxNameLength = 256
    /// The maximum length of a price or a currency, in bytes. The rest is cut off, because neither affects a
    /// decision.
    static let maxNoteLength = 64

    let receipt: StoreReceipt
    let credit: Credit
    let app: String?

    /// Returns `nil` if a required part is missing: the receipt, the product or the account.
    init?(_ fields: [String: String], by settings: CloudSoftphone) {
        let names = settings.fields
        func value(_ name: String?) -> String? {
            guard let name, let value = fields[name], !value.isEmpty, !Self.isTemplate(value) else { return nil }
            return value
        }
        func name(_ name: String) -> String? {
            guard let text = value(name), text.utf8.count <= Self.maxNameLength, Self.isName(text) else { return nil }
            return text
        }
        guard let product = name(names.product), let account = name(names.account).map(Self.account) else { return nil }
        var parts: [StoreReceipt.Part: String] = [.product: product]
        parts[.receipt] = value(names.receipt).map(ReceiptText.unspaced)
        parts[.signature] = value(names.signature).map(ReceiptText.unspaced)
        parts[.token] = value(names.token)
        parts[.user] = value(names.user)
        guard parts[.receipt] != nil || parts[.token] != nil else { return nil }
        // A number alone would be a transaction identifier, which other people can guess.
        if settings.store == .apple, parts[.receipt]?.utf8.allSatisfy(Self.isDigit) ?? false { return nil }
        receipt = StoreReceipt(parts)
        credit = Credit(
            account: account, price: value(names.price).flatMap(Self.storableText),
            currency: value(names.currency).flatMap(Self.storableText))
        app = value(names.app)
    }

    /// Returns whether a text can name an account or a product. A text with a variable, or with U+FFFD as a
    /// replacement, would represent several names.
    private static func isName(_ text: String) -> Bool {
        !text.unicodeScalars.contains { isControl($0) || $0 == "\u{FFFD}" } && !TemplateVariable.occurs(in: text)
    }

    /// Restores the `+` of a telephone number that arrives as a space, because apps escape nothing and form
    /// decoding replaces `+`.
    private static func account(_ text: String) -> String {
        let rest = text.utf8.dropFirst()
        return text.hasPrefix(" ") && !rest.isEmpty && rest.allSatisfy(isDigit) ? "+\(text.dropFirst())" : text
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

    /// Returns whether a value is a template variable that the app did not replace, such as `%receipt%`, because it
    /// had no value.
    private static func isTemplate(_ value: String) -> Bool {
        value.utf8.count > 2 && value.hasPrefix("%") && value.hasSuffix("%")
            && value.utf8.dropFirst().dropLast().allSatisfy { $0 != UInt8(ascii: "%") && $0 > 0x20 }
    }

    private static func isControl(_ scalar: Unicode.Scalar) -> Bool {
        scalar.properties.generalCategory == .control
    }

    /// Returns free text in the app's own notation without control characters, or `nil` if nothing is left.
    private static func storableText(_ text: String) -> String? {
        var shortened = String.UnicodeScalarView()
        var count = 0
        for scalar in text.unicodeScalars where !isControl(scalar) {
            count += UTF8.width(scalar)
            guard count <= maxNoteLength else { break }
            shortened.append(scalar)
        }
        return shortened.isEmpty ? nil : String(shortened)
    }
}
