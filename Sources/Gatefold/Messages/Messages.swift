/// What can be said to a reader. The raw value is the key in the configuration.
public enum MessageKey: String, Sendable, CaseIterable {
    // States.
    case active
    case inactive
    case suspended
    case unknown
    case stale
    case noToken = "no_token"
    // Refusals.
    case notRecognised = "not_recognised"
    case throttled
    case tooManyDevices = "too_many_devices"
    case deviceRequired = "device_required"
    case tokenNotRecognised = "token_not_recognised"
    case tokenExpired = "token_expired"
    case notEntitled = "not_entitled"
    case noEdition = "no_edition"
    case unavailable
    // Purchases.
    case purchaseIncomplete = "purchase_incomplete"
    case purchaseRefused = "purchase_refused"
    case purchaseOfAnother = "purchase_of_another"
    case productRefused = "product_refused"
    case purchaseUnavailable = "purchase_unavailable"

    /// What is said where the publication has no words of its own; nil says nothing.
    var builtIn: String? {
        switch self {
        case .active, .inactive, .suspended, .unknown: nil
        case .stale: "Please sign in again."
        case .noToken: "Please sign in."
        case .notRecognised: "These details were not recognised."
        case .throttled: "Too many attempts. Please try again later."
        case .tooManyDevices: "This subscription is already used on as many devices as it allows."
        case .deviceRequired: "The app did not say which device this is. Please update the app."
        case .tokenNotRecognised: "Please sign in again."
        case .tokenExpired: "Please sign in again."
        case .notEntitled: "Your subscription does not include this edition."
        case .noEdition: "No edition was requested."
        case .purchaseIncomplete: "The app did not send everything that is needed to check this purchase."
        case .purchaseRefused: "This purchase could not be confirmed."
        case .purchaseOfAnother: "This purchase was already credited to another account."
        case .productRefused: "The store does not confirm that this product was bought."
        case .purchaseUnavailable: "The purchase could not be checked. Please try again later."
        case .unavailable: "The subscription could not be checked. Please try again later."
        }
    }
}

/// A publication's words to its readers, in one or more languages.
public struct Messages: Sendable, Equatable {
    private let texts: [String: [MessageKey: String]]
    private let defaultLanguage: String

    /// - Parameters:
    ///   - texts: by language, a BCP 47 tag in lower case such as `de` or `pt-br`.
    ///   - defaultLanguage: the one for readers who want none of the others.
    public init(_ texts: [String: [MessageKey: String]] = [:], defaultLanguage: String = "en") {
        self.texts = texts
        self.defaultLanguage = defaultLanguage
    }

    /// The text for a reader of these languages, most wanted first: the exact tag, then ever less of it (RFC 4647
    /// section 3.4, lookup), then the default language, then the built-in English.
    public func text(_ key: MessageKey, for languages: [String]) -> String? {
        for language in languages {
            var tag = Substring(language)
            while !tag.isEmpty {
                if let text = texts[String(tag)]?[key] { return text }
                // A default-language reader is served by the default below, the built-in words included.
                if tag == defaultLanguage { return texts[defaultLanguage]?[key] ?? key.builtIn }
                guard let hyphen = tag.lastIndex(of: "-") else { break }
                tag = tag[..<hyphen]
            }
        }
        return texts[defaultLanguage]?[key] ?? key.builtIn
    }
}
