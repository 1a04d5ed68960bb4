package import Accounts
package import Foundation
import Gatefold
import Mail
import Settings

/// The InPlayer front door of a publication, as configured.
package struct InPlayerConfiguration: Sendable {
    package let settings: InPlayerSettings
    package let passwords: PasswordRule
    /// The lifetime of password reset tokens, in seconds. Default: 1 h. Range: 5 min to 7 days.
    package let resetTokenLifetime: TimeInterval

    /// Reads the `inplayer` section; returns nil if it is missing or not enabled.
    ///
    /// - Parameters:
    ///   - publication: The section of the publication.
    ///   - outline: What was already read of the publication.
    init?(_ publication: SettingsSection, of outline: PublicationOutline) throws(SettingsError) {
        guard publication.has("inplayer") else { return nil }
        let section = try publication.section("inplayer")
        let isEnabled = try section.boolean("enabled", default: true)
        let merchant = try section.requiredString("merchant", expected: "the merchant's uuid, as it is in the apps")
        guard merchant.wholeMatch(of: /[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}/) != nil else {
            throw section.error("merchant", expected: "expected a uuid such as 528b1b80-5868-4abc-a9b6-4d3455d719c8")
        }
        var settings = InPlayerSettings(merchant: merchant)
        settings.merchantNumber = Int64(
            try section.integer("merchant_number", default: 1, in: 1...Int(InPlayerNumber.highest)))
        settings.clients = Set((try section.strings("client_ids") ?? []).map { $0.lowercased() })
        settings.accessTokenLifetime = try section.duration("access_token_lifetime", default: 3600, in: 60...86_400)
        settings.origins = try Self.origins(section)
        for field in try section.sections("register_fields") {
            settings.registerFields.append(try InPlayerField(field))
        }
        for fee in try section.sections("fees") { settings.fees.append(try InPlayerFee(fee)) }
        settings.numbers = try Self.numbers(section)
        let forgotPassword = try section.section("forgot_password")
        settings.passwordEmail = try Self.emailMessage(forgotPassword)
        settings.passwordLink = try Self.link("link", in: forgotPassword, place: "{{token}}", isNeeded: true)
        resetTokenLifetime = try forgotPassword.duration("lifetime", default: 3600, in: 300...604_800)
        try forgotPassword.finish()
        passwords = PasswordRule(minLength: try section.integer("min_password_length", default: 8, in: 1...128))
        let social = try section.section("social")
        for provider in social.names {
            guard let url = try Self.link(provider, in: social, place: "{{state}}", isNeeded: false) else { continue }
            settings.social.append((provider, url))
        }
        try social.finish()
        try section.finish()
        self.settings = settings
        try Self.check(section, outline.publication, isTest: outline.isTest)
        if !isEnabled { return nil }
    }

    /// Checks the publication settings that InPlayer's apps require.
    private static func check(
        _ section: SettingsSection, _ publication: Publication, isTest: Bool
    ) throws(SettingsError) {
        if isTest { throw section.error("merchant", expected: "is for publications with real readers, without `test`") }
        guard publication.credentialFields.proofs.count == 1 else {
            throw section.error(
                "merchant",
                expected: "needs one proof in `credentials.proofs`: apps send only a name and a password")
        }
        if publication.requiresDevice {
            throw section.error(
                "merchant", expected: "cannot be combined with `devices.required`: apps send no device")
        }
    }

    private static func origins(_ section: SettingsSection) throws(SettingsError) -> InPlayerOrigins {
        guard let names = try section.strings("origins"), names != ["*"] else { return InPlayerOrigins() }
        for name in names where name.wholeMatch(of: /https?:\/\/[A-Za-z0-9.\-\[\]:]+/) == nil {
            throw section.error(
                "origins", expected: "expected origins such as https://www.example.com, or *, not `\(name)`")
        }
        return InPlayerOrigins(Set(names))
    }

    private static func emailMessage(_ section: SettingsSection) throws(SettingsError) -> InPlayerEmail {
        let template = try EmailTemplate(
            section, variables: Set(InPlayerEmail.Place.allCases.map(\.rawValue)),
            standard: EmailTemplate.Standard(
                subject: InPlayerEmail.passwordSubject, text: InPlayerEmail.passwordText(token: "{{token}}")))
        return InPlayerEmail { address, values in
            template.emailMessage(to: address, Dictionary(values.map { ($0.key.rawValue, $0.value) }) { $1 })
        }
    }

    private static func link(
        _ name: String, in section: SettingsSection, place: String, isNeeded: Bool
    ) throws(SettingsError) -> String? {
        guard let text = try section.string(name) else { return nil }
        let bare = text.replacing(place, with: "x")
        guard bare.wholeMatch(of: /https?:\/\/[^\s"<>{}]+/) != nil, !isNeeded || bare != text else {
            throw section.error(
                name, expected: "expected a URL\(isNeeded ? "" : ", optionally") with \(place) in it")
        }
        return text
    }

    private static func numbers(_ section: SettingsSection) throws(SettingsError) -> [InPlayerNumber] {
        var numbers: [InPlayerNumber] = []
        for entry in try section.sections("numbers") {
            let numberedItem: InPlayerNumber.NumberedItem
            switch (try entry.string("edition"), try entry.string("product")) {
            case (let name?, nil):
                guard let edition = EditionID(name) else {
                    throw entry.error("edition", expected: "expected an edition's identifier, not `\(name)`")
                }
                numberedItem = .edition(edition)
            case (nil, let product?): numberedItem = .product(product)
            default: throw entry.error("item", expected: "expected `edition` or `product` beside it")
            }
            let highest = Int(InPlayerNumber.highest)
            let item = try entry.integer("item", default: 0, in: 1...highest)
            if item == 0 { throw entry.error("item", expected: "missing; expected a whole number") }
            let fee = try entry.integer("fee", default: item, in: 1...highest)
            try entry.finish()
            let number = InPlayerNumber(numberedItem, item: Int64(item), fee: Int64(fee))
            if numbers.contains(where: { $0.numberedItem == numberedItem }) {
                throw entry.error("item", expected: "already has a number")
            }
            if numbers.contains(where: { $0.item == number.item && ($0.isEdition || number.isEdition) }) {
                throw entry.error("item", expected: "\(item) is already in use")
            }
            if numbers.contains(where: { $0.item == number.item && $0.fee == number.fee }) {
                throw entry.error("fee", expected: "\(fee) is already in use")
            }
            numbers.append(number)
        }
        return numbers
    }
}

extension InPlayerNumber {
    fileprivate var isEdition: Bool {
        if case .edition = numberedItem { true } else { false }
    }
}

extension InPlayerField {
    fileprivate init(_ section: SettingsSection) throws(SettingsError) {
        let name = try section.requiredString("name", expected: "the field's name in `metadata`")
        guard name.utf8.count <= 64, !name.contains(where: { "[]".contains($0) || $0.isWhitespace }) else {
            throw section.error("name", expected: "expected a name without brackets and spaces")
        }
        let choices = try section.section("options")
        var options: [(value: String, label: String)] = []
        for value in choices.names { options.append((value, try choices.string(value, default: value))) }
        self.init(
            name: name, label: try section.string("label", default: name),
            kind: try section.choice("type", default: .input),
            isRequired: try section.boolean("required", default: false),
            defaultValue: try section.string("default_value", default: ""),
            placeholder: try section.string("placeholder", default: ""), options: options)
        try section.finish()
    }
}

extension InPlayerFee {
    fileprivate init(_ section: SettingsSection) throws(SettingsError) {
        let currency = try section.requiredString("currency", expected: "a currency such as EUR")
        guard currency.wholeMatch(of: /[A-Z]{3}/) != nil else {
            throw section.error("currency", expected: "expected a currency such as EUR, not `\(currency)`")
        }
        let product = try section.requiredString(
            "product", expected: "a product's name in the stores, or a prefix followed by one *")
        guard !product.dropLast().contains("*") else {
            throw section.error("product", expected: "expected a name, or a prefix followed by one *")
        }
        guard let amount = try Amount(section, "amount") else {
            throw section.error("amount", expected: "missing; expected an amount such as 4.99")
        }
        var term: Term?
        if section.has("period") {
            term = Term(
                period: try section.string("period", default: ""),
                quantity: try section.integer("quantity", default: 1, in: 1...1000))
        } else if section.has("quantity") {
            throw section.error("quantity", expected: "needs `period`, such as month")
        }
        var trial: Term?
        if section.has("trial") {
            let part = try section.section("trial")
            trial = Term(
                period: try part.requiredString("period", expected: "a unit of time such as day"),
                quantity: try part.integer("quantity", default: 1, in: 1...1000))
            try part.finish()
        }
        self.init(
            product: product, amount: amount, currency: currency,
            text: try section.string("description", default: ""), term: term, trial: trial,
            setupFee: try Amount(section, "setup_fee"))
        try section.finish()
    }
}

extension InPlayerFee.Amount {
    fileprivate init?(_ section: SettingsSection, _ name: String) throws(SettingsError) {
        guard let text = try section.string(name) else { return nil }
        guard let amount = InPlayerFee.Amount(text) else {
            throw section.error(name, expected: "expected an amount such as 4.99, not `\(text)`")
        }
        self = amount
    }
}
