public import Foundation
import Gatefold

/// How a publication answers apps that are built on InPlayer's SDKs (PROTOCOLS 5).
public struct InPlayerSettings: Sendable {
    /// The merchant's uuid, as it is in the apps, in lower case.
    public let merchant: String
    /// The merchant's number; apps show it nowhere.
    public var merchantNumber: Int64 = 1
    /// What apps may say as `client_id`, in lower case; the merchant's uuid is always one.
    public var clients: Set<String> = []
    /// In seconds.
    public var accessTokenLifetime: TimeInterval = 3600
    public var origins = InPlayerOrigins()
    public var registerFields: [InPlayerField] = []
    /// The first that matches a product counts.
    public var fees: [InPlayerFee] = []
    public var numbers: [InPlayerNumber] = []
    public var passwordLetter = InPlayerLetter.password
    /// The publication's page for a new password, with `{{token}}` in it; nil where readers enter the token in the app.
    public var passwordLink: String?
    /// What an app sends its user to for a login elsewhere, by the provider's name. `{{state}}` in it is replaced by the app's.
    public var social: [(provider: String, url: String)] = []

    public init(merchant: String) {
        self.merchant = merchant.lowercased()
    }

    /// Whether apps may name the publication by this.
    func isNamed(by client: String) -> Bool {
        let client = client.lowercased()
        return client == merchant || clients.contains(client)
    }
}

/// A field that apps show when somebody registers.
public struct InPlayerField: Sendable, Equatable {
    /// What kinds of fields the SDKs know.
    public enum Kind: String, Sendable, CaseIterable {
        case input, select, radio, checkbox, datepicker, country
    }

    /// The key of `metadata[…]`.
    public var name: String
    public var label: String
    public var kind: Kind
    public var isRequired: Bool
    public var defaultValue: String
    public var placeholder: String
    /// What can be chosen, and what each is called, in their order.
    public var options: [(value: String, label: String)]

    public init(
        name: String, label: String, kind: Kind = .input, isRequired: Bool = false, defaultValue: String = "",
        placeholder: String = "", options: [(value: String, label: String)] = []
    ) {
        self.name = name
        self.label = label
        self.kind = kind
        self.isRequired = isRequired
        self.defaultValue = defaultValue
        self.placeholder = placeholder
        self.options = options
    }

    public static func == (left: InPlayerField, right: InPlayerField) -> Bool {
        left.name == right.name && left.label == right.label && left.kind == right.kind
            && left.isRequired == right.isRequired && left.defaultValue == right.defaultValue
            && left.placeholder == right.placeholder
            && left.options.elementsEqual(right.options) { $0.value == $1.value && $0.label == $1.label }
    }
}
