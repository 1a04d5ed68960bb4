/// A message to a reader. The raw value is the key in the configuration.
public enum MessageKey: String, Sendable, CaseIterable {
    // Subscription states.
    case active
    case inactive
    case suspended
    case unknown
    case stale
    case noToken = "no_token"
    // Rejections and denials.
    case rejected = "credentials_rejected"
    case throttled
    case tooManyDevices = "too_many_devices"
    case deviceRequired = "device_required"
    case tokenRejected = "token_rejected"
    case tokenExpired = "token_expired"
    case notEntitled = "not_entitled"
    case lapsed = "subscription_lapsed"
    case unknownEdition = "unknown_edition"
    case notYetPublished = "not_yet_published"
    case noEdition = "no_edition"
    case unavailable
    // Purchases.
    case purchaseIncomplete = "purchase_incomplete"
    case purchaseRejected = "purchase_rejected"
    case purchaseOfAnother = "purchase_already_claimed"
    case productRejected = "product_rejected"
    case purchaseUnavailable = "purchase_unavailable"

    /// The text for publications that configure none; nil means no text.
    var builtIn: String? {
        switch self {
        case .active, .inactive, .suspended, .unknown: nil
        // The text of `not_entitled` is for all of them.
        case .lapsed, .unknownEdition, .notYetPublished: nil
        case .stale: "Please sign in again."
        case .noToken: "Please sign in."
        case .rejected: "These details were not recognised."
        case .throttled: "Too many attempts. Please try again later."
        case .tooManyDevices: "This subscription is already used on the maximum number of devices."
        case .deviceRequired: "The app did not identify the device. Please update the app."
        case .tokenRejected: "Please sign in again."
        case .tokenExpired: "Please sign in again."
        case .notEntitled: "Your subscription does not include this edition."
        case .noEdition: "No edition was requested."
        case .purchaseIncomplete: "The app did not send all data needed to verify this purchase."
        case .purchaseRejected: "This purchase could not be confirmed."
        case .purchaseOfAnother: "This purchase was already credited to another account."
        case .productRejected: "The store does not confirm that this product was bought."
        case .purchaseUnavailable: "The purchase could not be checked. Please try again later."
        case .unavailable: "The subscription could not be checked. Please try again later."
        }
    }
}

/// The texts of a publication to its readers, in one or more languages.
public struct Messages: Sendable, Equatable {
    private let texts: [String: [MessageKey: String]]
    private let defaultLanguage: String

    /// Creates the texts of a publication.
    ///
    /// - Parameters:
    ///   - texts: The texts by language, a BCP 47 tag in lower case such as `de` or `pt-br`.
    ///   - defaultLanguage: The language for readers whose languages are all missing. Default: `en`.
    public init(_ texts: [String: [MessageKey: String]] = [:], defaultLanguage: String = "en") {
        self.texts = texts
        self.defaultLanguage = defaultLanguage
    }

    /// Returns the text for a reader of these languages, in descending order of preference.
    ///
    /// The lookup tries the exact tag, then shortens it (RFC 4647 section 3.4, lookup), then the default language,
    /// then the built-in English text.
    public func text(_ key: MessageKey, for languages: [String]) -> String? {
        for language in languages {
            var tag = Substring(language)
            while !tag.isEmpty {
                if let text = texts[String(tag)]?[key] { return text }
                // For a reader of the default language, the default and built-in texts apply before any further
                // language.
                if tag == defaultLanguage { return texts[defaultLanguage]?[key] ?? key.builtIn }
                guard let hyphen = tag.lastIndex(of: "-") else { break }
                tag = tag[..<hyphen]
            }
        }
        return texts[defaultLanguage]?[key] ?? key.builtIn
    }
}
