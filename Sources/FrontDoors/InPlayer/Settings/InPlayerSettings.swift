public import Foundation

/// The settings of a publication for apps that are built on InPlayer's SDKs.
///
/// Source: InPlayer protocol, “Overview”.
public struct InPlayerSettings: Sendable {
    /// The merchant's uuid as it is in the apps, in lower case.
    public let merchant: String
    /// The merchant's number, which apps never show.
    public var merchantNumber: Int64 = 1
    /// The additional values of `client_id` that apps may send, in lower case. The merchant's uuid is always
    /// accepted.
    public var clients: Set<String> = []
    /// The lifetime of an access token, in seconds. Default: 3,600 s.
    public var accessTokenLifetime: TimeInterval = 3600
    public var origins = InPlayerOrigins()
    public var registerFields: [InPlayerField] = []
    /// The prices. The first one that matches a product counts.
    public var fees: [InPlayerFee] = []
    public var numbers: [InPlayerNumber] = []
    public var passwordEmail = InPlayerEmail.password
    /// The publication's page for a new password, which contains `{{token}}`, or `nil` if readers enter the token
    /// in the app.
    public var passwordLink: String?
    /// The addresses for social sign-in, by the provider's name. `{{state}}` is replaced by the app's state.
    public var social: [(provider: String, url: String)] = []

    public init(merchant: String) {
        self.merchant = merchant.lowercased()
    }

    /// Returns whether apps may name the publication by this value.
    func isNamed(by client: String) -> Bool {
        let client = client.lowercased()
        return client == merchant || clients.contains(client)
    }
}

/// A field that apps show at registration.
public struct InPlayerField: Sendable, Equatable {
    /// The kinds of fields that the SDKs support.
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
    /// The options and their labels, in order.
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
